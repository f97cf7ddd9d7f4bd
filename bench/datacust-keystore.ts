import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Deployment } from '../infra/local/deployment.ts'
import { ROOT_DOMAIN_ID } from '../shared/base/ids.ts'
import { itemKey, type Key } from '../shared/store/layout.ts'
import { authority } from '../test/support/certificates.ts'
import { administratorToken, eventOf, post } from './data-plane.ts'

const HOST = 'hyok.example.test'

/** A key store of datacust with one key, and the requests that its platform would send. */
export interface BenchKeystore {
  /** PEM of the platform's certificate */
  readonly certificate: string
  /** The records that decide about a call: the key store's, the external key's and the local key's. */
  readonly records: readonly Key[]
  readonly event: (operation: string, fields: object) => APIGatewayProxyEventV2
}

/** @param local fields of the local key */
export async function seedKeystore(deployment: Deployment, local: object): Promise<BenchKeystore> {
  const { cert: certificate } = authority('Platform').issue('bench')
  const jwt = await administratorToken(deployment)
  const sap_tenant_id = randomUUID()
  const create = (path: string, fields: object): Promise<any> =>
    post(deployment, path, { name: `bench-${randomUUID()}`, ...fields }, jwt)
  const source = await create('/v1/vault/keys2', local)
  const fields = { sap_tenant_id, certificate, keystore_url_hostname: HOST }
  const store = await create('/v1/keymgr/datacust/ekm/keystores', fields)
  const over = { keystore_id: store.id, source_key_identifier: source.id }
  const key = await create('/v1/keymgr/datacust/ekm/keys', over)
  const { pathname } = new URL(store.keystore_url as string)
  const record = (entity: string, { id }: { readonly id: string }): Key => itemKey(ROOT_DOMAIN_ID, entity, id)
  return {
    certificate,
    records: [record('datacust-keystore', store), record('datacust-external-key', key), record('local-key', source)],
    event: (operation, more) =>
      eventOf(
        {
          ...{ host: HOST, certificate, now: deployment.clock.now() },
          route: 'ANY /api/v1/keymgr/datacust/hyok/{proxy+}',
          path: `${pathname}/keys/${key.id as string}/${operation}`,
        },
        { request_metadata: { sap_tenant_id }, ...more },
      ),
  }
}
