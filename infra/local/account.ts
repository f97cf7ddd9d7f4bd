/**
 * The account of the stand-ins. Nothing here is secret: the stand-ins listen on loopback and accept any
 * signature. DynamoDB Local wants access key ids of letters and digits only.
 */
export const LOCAL_ACCOUNT = {
  id: '000000000000',
  region: 'us-east-1',
  credentials: { accessKeyId: 'LOCALKEYMGR', secretAccessKey: 'local-stand-ins-check-no-signature' },
} as const

export const LOCAL_NAMES = {
  table: 'keymgr',
  bus: 'keymgr',
  bucket: 'keymgr-objects',
  rootKeyAlias: 'alias/keymgr-root',
  scheduleRole: `arn:aws:iam::${LOCAL_ACCOUNT.id}:role/keymgr-jobs`,
  deadLetters: `arn:aws:sqs:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}:keymgr-dead-letters`,
} as const
