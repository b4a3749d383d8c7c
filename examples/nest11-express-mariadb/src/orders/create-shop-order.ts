import { type MigrationInterface, type QueryRunner } from 'typeorm';

export class CreateShopOrder implements MigrationInterface {
  name = 'ShopCreateShopOrder1763683300000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE shop_order (
         project_id varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
         id varchar(64) NOT NULL,
         number integer NOT NULL AUTO_INCREMENT,
         method_id char(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
         PRIMARY KEY (project_id, id),
         UNIQUE KEY uq_shop_order_number (number),
         CONSTRAINT fk_shop_order_method FOREIGN KEY (project_id, method_id)
           REFERENCES shipping_method (project_id, id) ON DELETE NO ACTION ON UPDATE NO ACTION
       ) AUTO_INCREMENT = 1001`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE shop_order');
  }
}
