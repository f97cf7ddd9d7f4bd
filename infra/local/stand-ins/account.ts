import { randomBytes } from 'node:crypto'

/**
 * The account of the stand-ins. Each start creates a new secret, because other users of the machine can reach loopback
 * too. The access key id is constant: a DynamoDB Local that the user runs separates tables by it, and accepts only
 * letters and digits.
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
