import { afterAll, beforeAll } from 'vitest'
import { LOCAL_ACCOUNT } from '../../infra/local/stand-ins/account.ts'
import { createTable, startTable, type Table } from '../../infra/local/table/table.ts'
import { startFaultProxy, type FaultProxy } from '../../infra/local/table/fault-proxy.ts'
import { pointProcessAt } from './own-process.ts'

/** The engine of this test run: the store must behave the same on each. */
const engine = process.env.KEYMGR_TEST_ENGINE === 'dynamodb-local' ? 'dynamodb-local' : 'dynoxide'

const TABLE_NAME = 'keymgr-test'

/** Configures this process's store with an empty table behind a fault-injecting proxy, for the tests of one file. */
export function useTable(): { proxy: () => FaultProxy } {
  let table: Table | undefined
  let proxy: FaultProxy | undefined
  beforeAll(async () => {
    table = await startTable({ engine })
    await createTable(table.endpoint, TABLE_NAME)
    proxy = await startFaultProxy(table.endpoint)
    pointProcessAt({
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: LOCAL_ACCOUNT.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: LOCAL_ACCOUNT.credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
      KEYMGR_TABLE: TABLE_NAME,
      KEYMGR_ROOT_KEY: 'alias/keymgr-root',
      KEYMGR_BASE_URL: 'http://127.0.0.1:8080',
    })
  })
  afterAll(async () => {
    await proxy?.stop()
    await table?.stop()
  })
  return {
    proxy: () => {
      if (proxy === undefined) throw new Error('The proxy starts with the tests')
      return proxy
    },
  }
}
