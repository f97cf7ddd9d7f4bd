/** Actions that the permissions of a vault can give on it and on its keys. */
export const CLOUD_D_ACTIONS = [
  'view',
  'keycreate',
  'keyupload',
  'keyupdate',
  'keydelete',
  'keycanceldelete',
  'keyrestore',
  'deletebackup',
  'keyrotatetonative',
  'keyrotatetobyok',
  'keysynchronize',
  'keyremove',
  'reportview',
  'reportcreate',
  'reportdelete',
  'reportdownload',
] as const
