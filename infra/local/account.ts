import { randomBytes } from 'node:crypto'

/**
 * The account of the stand-ins. Its secret is made anew for each start: other users of the machine reach loopback as well.
 * The access key id stays, by which a DynamoDB Local of the user's keeps tables apart; it wants letters and digits only.
 */
export const LOCAL_ACCOUNT = {
  id: '000000000000',
  region: 'us-east-1',
  credentials: {
    accessKeyId: 'LOCALKEYMGR',
    secretAccessKey: randomBytes(30).toString('base64url'),
  },
} as const

export const LOCAL_NAMES = {
  table: 'keymgr',
  bus: 'keymgr',
  bucket: 'keymgr-objects',
  rootKeyAlias: 'alias/keymgr-root',
  scheduleRole: `arn:aws:iam::${LOCAL_ACCOUNT.id}:role/keymgr-jobs`,
  deadLetters: `arn:aws:sqs:${LOCAL_ACCOUNT.region}:${LOCAL_ACCOUNT.id}:keymgr-dead-letters`,
} as const
