import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { LOCAL_ACCOUNT, LOCAL_NAMES } from '../infra/local/stand-ins/account.ts'
import { numberedKey } from '../shared/store/layout.ts'

const TOGETHER = 100

/** A row of a cloud-a report. */
const ROW = JSON.stringify({
  key_name: '00000000-0000-4000-8000-000000000042',
  key_arn: 'arn:aws:kms:eu-west-1:111122223333:key/00000000-0000-4000-8000-000000000042',
  kms: 'bench',
  region: 'eu-west-1',
  account_id: '111122223333',
  cloud_name: 'cloud-a',
  key_expiration: null,
  origin: null,
  key_activity: 'Decrypt',
  modified_time: '2026-01-01T00:00:00Z',
  user_name: 'arn:aws:iam::111122223333:user/application',
  keymgr_operation: false,
})

/** Writes the rows of a report in the same number of transactions, one after the other. @returns milliseconds */
export async function writeBareRows(endpoint: string, count: number, list: string): Promise<number> {
  const { region, credentials } = LOCAL_ACCOUNT
  const client = new DynamoDBClient({ endpoint, region, credentials })
  const from = performance.now()
  for (let at = 0; at < count; at += TOGETHER) {
    const TransactItems = Array.from({ length: Math.min(TOGETHER, count - at) }, (_, n) => {
      const { pk, sk } = numberedKey('bench', 'bare-row', list, at + n)
      return { Put: { TableName: LOCAL_NAMES.table, Item: { pk: { S: pk }, sk: { S: sk }, row: { S: ROW } } } }
    })
    await client.send(new TransactWriteItemsCommand({ TransactItems }))
  }
  const ms = performance.now() - from
  client.destroy()
  return ms
}
