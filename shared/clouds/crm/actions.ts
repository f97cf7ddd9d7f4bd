/** Actions that the permissions of an organization can give on it, on its tenant secrets and on its certificates. */
export const CRM_ACTIONS = [
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
