import { randomBytes, randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Deployment } from '../infra/local/deployment.ts'
import { SecretBytes } from '../shared/crypto/secret-bytes.ts'
import { ROOT_DOMAIN_ID } from '../shared/base/ids.ts'
import { Changes } from '../shared/store/changes.ts'
import { cloudAKeys } from '../shared/clouds/cloud-a/keys/store.ts'
import { customKeyStores, proxyEndpoints, PROXY_ENDPOINTS_DOMAIN } from '../shared/clouds/cloud-a/key-stores/store.ts'
import {
  credentialFor,
  hostedKeyRecord,
  keyStoreRecord,
  proxyPathOf,
  type Credential,
} from '../test/support/key-stores.ts'
import { sign, stampOf } from '../test/support/xks-signing.ts'
import { administratorToken, post } from './data-plane.ts'
import { UNTHROTTLED } from './service.ts'

export const REGION = 'eu-west-1'
export const HOST = 'xks.example.test'
/** Above every limit: no figure measures throttling. */
export const STORE_ENVIRONMENT = { ...UNTHROTTLED, KEYMGR_XKS_CALLS_PER_SECOND: '1000000000' }

/** An external key store with hosted keys, and the requests that its cloud would send. */
export interface BenchStore {
  readonly id: string
  readonly path: string
  readonly credential: Credential
  readonly keyIds: readonly string[]
  readonly healthKeyId: string
  /** A signed request in the form of an API Gateway event, at the present time. */
  readonly event: (operation: 'encrypt' | 'decrypt', keyId: string, fields: object) => APIGatewayProxyEventV2
}

const METADATA = {
  kmsRequestId: '4112f4d6-db54-4af4-ae30-c55a22a8dfae',
  kmsOperation: 'GenerateDataKeyWithoutPlaintext',
  awsPrincipalArn: 'arn:aws:iam::111122223333:role/app',
  kmsKeyArn: 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab',
  kmsViaService: 'ebs.eu-west-1.amazonaws.com',
}

async function localKey(deployment: Deployment, token: string, name: string): Promise<string> {
  const { id } = await post(deployment, '/v1/vault/keys2', { name, algorithm: 'aes', size: 256 }, token)
  return id as string
}

/** A store with `keys` keys, through the store's own writes from this process. */
export async function seedKeyStore(deployment: Deployment, keys: number): Promise<BenchStore> {
  Object.assign(process.env, deployment.environmentOf('triggers'))
  const token = await administratorToken(deployment)
  const now = deployment.clock.now()
  const { known: credential, stored } = await credentialFor(ROOT_DOMAIN_ID, now)
  const healthKeyId = await localKey(deployment, token, `health-${randomUUID()}`)
  const record = keyStoreRecord(ROOT_DOMAIN_ID, now, {
    region: REGION,
    credentials: [stored],
    health: { id: healthKeyId, bytes: SecretBytes.take(randomBytes(32)) }, // no figure depends on its sample
  })
  const commit = async (stage: (changes: Changes) => void): Promise<void> => {
    const changes = new Changes()
    stage(changes)
    await changes.commit(now)
  }
  await commit((changes) => {
    changes.create(customKeyStores, ROOT_DOMAIN_ID, record)
    changes.create(proxyEndpoints, PROXY_ENDPOINTS_DOMAIN, { id: record.id, domain: ROOT_DOMAIN_ID })
  })
  const keyIds: string[] = []
  for (let at = 0; at < keys; at++) {
    const source = await localKey(deployment, token, `source-${randomUUID()}`)
    const hosted = hostedKeyRecord(ROOT_DOMAIN_ID, now, record, source)
    await commit((changes) => changes.create(cloudAKeys, ROOT_DOMAIN_ID, hosted))
    keyIds.push(hosted.id)
  }
  const path = proxyPathOf(record.id)
  const event: BenchStore['event'] = (operation, keyId, fields) => {
    const now = deployment.clock.now()
    const target = `${path}/keys/${keyId}/${operation}`
    const body = JSON.stringify({ requestMetadata: METADATA, ...fields })
    const { accessKeyId, secret } = credential
    const signed = { path: target, body, host: HOST, accessKeyId, secret, region: REGION, stamp: stampOf(now) }
    return {
      version: '2.0',
      routeKey: 'ANY /api/v1/keymgr/cloud-a/xks-proxy-endpoints/{proxy+}',
      rawPath: target,
      rawQueryString: '',
      headers: { ...sign(signed).headers, 'content-type': 'application/json' },
      requestContext: {
        accountId: '000000000000',
        apiId: 'bench',
        domainName: HOST,
        domainPrefix: 'xks',
        http: { method: 'POST', path: target, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'bench' },
        requestId: randomUUID(),
        routeKey: 'ANY /api/v1/keymgr/cloud-a/xks-proxy-endpoints/{proxy+}',
        stage: '$default',
        time: now.toISOString(),
        timeEpoch: now.getTime(),
      },
      body,
      isBase64Encoded: false,
    }
  }
  return { id: record.id, path, credential, keyIds, healthKeyId, event }
}
