/** Actions on a container and its keys, in clouds without actions of their own. */
export const USUAL_ACTIONS = [
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
