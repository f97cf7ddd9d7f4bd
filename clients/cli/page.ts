/** Fields of every page of a list. */
export const PAGE = ['skip', 'limit', 'total', 'resources'] as const
