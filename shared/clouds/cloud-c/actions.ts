/** Actions that the permissions of a project or a key ring can contain, on it and on its keys. */
export const CLOUD_C_ACTIONS = [
  'view',
  'keycreate',
  'keyupload',
  'keyupdate',
  'keydestroy',
  'keycanceldestroy',
  'keysynchronize',
  'reportview',
  'reportcreate',
  'reportdelete',
  'reportdownload',
] as const
export type CloudCAction = (typeof CLOUD_C_ACTIONS)[number]
