/** Actions that the permissions of a group can give on it and on its keys. */
export const DATACUST_ACTIONS = [
  'view',
  'keycreate',
  'keyupload',
  'keyupdate',
  'keydelete',
  'keyrotate',
  'keydestroy',
  'keyimport',
  'deletebackup',
  'keysynchronize',
  'reportview',
  'reportcreate',
  'reportdelete',
  'reportdownload',
] as const
