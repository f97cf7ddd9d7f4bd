const OF_ITEMS = [
  'create',
  'upload',
  'update',
  'delete',
  'purge',
  'recover',
  'restore',
  'backupdelete',
  'synchronize',
] as const
type OfItem<Item extends string> = `${Item}${(typeof OF_ITEMS)[number]}`

const on = <const Item extends string>(item: Item): OfItem<Item>[] =>
  OF_ITEMS.map((action): OfItem<Item> => `${item}${action}`)

/** Actions that the permissions of a vault can contain, on the vault and on its keys, secrets and certificates. */
export const CLOUD_B_ACTIONS = [
  'view',
  ...on('key'),
  ...on('secret'),
  ...on('certificate'),
  'reportview',
  'reportcreate',
  'reportdelete',
  'reportdownload',
] as const
