import { type EntityManager, type InsertQueryBuilder, type ObjectLiteral } from 'typeorm';
import { dialectOf } from '../dialects/dialects.js';

export const isSqlite = ({ connection }: EntityManager): boolean => dialectOf(connection).hasOneConnection;
export const isMysql = ({ connection }: EntityManager): boolean => dialectOf(connection).readsFromSnapshot;
export const readsFromSnapshotByDefault = isMysql;
export const nowIn = ({ connection }: EntityManager): string => dialectOf(connection).now;
export const timeParameter = ({ connection }: EntityManager, time: string): string =>
  dialectOf(connection).timeParameter(time);
export const selectExpression = ({ connection }: EntityManager, column: string, isTime = false): string =>
  isTime ? dialectOf(connection).timeColumn(column) : dialectOf(connection).valueColumn(column);
export const ifAbsent = <Row extends ObjectLiteral>(
  { connection }: EntityManager,
  insert: InsertQueryBuilder<Row>,
  column: string,
): InsertQueryBuilder<Row> => dialectOf(connection).ifAbsent(insert, column);
