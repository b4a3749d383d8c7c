/** The least and the greatest integer that a column of the type `integer` can store. */
export const int32 = { min: -2_147_483_648, max: 2_147_483_647 };
