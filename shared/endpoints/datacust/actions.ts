/** Actions that the permissions of an external key store can give on it and on its keys. */
export const STORE_ACTIONS = ['view', 'keycreate', 'keyupdate', 'keydelete', 'keyrotate'] as const
export type StoreAction = (typeof STORE_ACTIONS)[number]
