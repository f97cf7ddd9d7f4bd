/** Fields that every page of a list has. */
export const PAGE = ['skip', 'limit', 'total', 'resources'] as const
