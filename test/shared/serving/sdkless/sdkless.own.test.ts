import { randomBytes } from 'node:crypto'
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { EncryptCommand, KMSClient } from '@aws-sdk/client-kms'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAuthorization, verifySignature } from '../../../../infra/simulators/toolkit/aws/sigv4.ts'
import { startKms, type Kms } from '../../../../infra/local/stand-ins/kms.ts'
import { createRootKey } from '../../../../infra/local/stand-ins/root-key.ts'
import { queryDue } from '../../../../shared/store/due-index.ts'
import { addTo, makeDue, readEntity, readHolder, readItem } from '../../../../shared/serving/sdkless/dynamo.ts'
import { decryptWithRootKey } from '../../../../shared/serving/sdkless/kms.ts'
import { signedHeaders } from '../../../../shared/serving/sdkless/sign.ts'
import { useTable } from '../../../support/store.ts'
import { refused } from '../../crypto/refused.ts'
import { pointProcessAt } from '../../../support/own-process.ts'

const { proxy } = useTable()
const NOW = Date.UTC(2026, 4, 4, 3, 2, 1)
const rootKey = createRootKey()
let kms: Kms
let sdk: DynamoDBClient

beforeAll(async () => {
  kms = await startKms({ keys: [rootKey], aliases: { 'alias/keymgr-root': rootKey.id } })
  pointProcessAt({ AWS_ENDPOINT_URL_KMS: kms.endpoint })
  sdk = new DynamoDBClient({ endpoint: proxy().endpoint })
})
afterAll(async () => {
  sdk.destroy()
  await kms.stop()
})

const TableName = 'keymgr-test'
const put = (pk: string, more: Record<string, { S: string }>) =>
  sdk.send(new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: 's' }, ...more } }))
const get = async (pk: string) =>
  (await sdk.send(new GetItemCommand({ TableName, Key: { pk: { S: pk }, sk: { S: 's' } }, ConsistentRead: true }))).Item

test('items of the official client are read, with any content; a missing one is missing', async () => {
  const data = { name: 'ü "quoted" \\ \u2028 🔑', list: [1, 2] }
  await put('a', { data: { S: JSON.stringify(data) }, holder: { S: 'somebody' } })
  expect(await readItem({ pk: 'a', sk: 's' }, NOW)).toEqual(await get('a'))
  expect(await readEntity({ pk: 'a', sk: 's' }, NOW)).toEqual(data)
  expect(await readHolder({ pk: 'a', sk: 's' }, NOW)).toBe('somebody')
  expect(await readItem({ pk: 'a', sk: 'other' }, NOW)).toBeUndefined()
})

test('all that is asked for in one turn is one batch; more than a hundred are several', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, at) => put(`many-${at}`, { data: { S: String(at) } })))
  const ask = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => readEntity({ pk: `many-${at}`, sk: 's' }, NOW)))
  proxy().reset()
  expect((await ask(10)).map(Number)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(proxy().counts()).toEqual({ BatchGetItem: 1 })
  expect((await ask(150)).filter((data) => data !== undefined)).toHaveLength(10)
  expect(proxy().counts()).toEqual({ BatchGetItem: 3 })
})

test('a counter begins at zero, and grows up to its limit', async () => {
  const key = { pk: 'counter', sk: 's' }
  const limited = { by: 4, limit: 10 }
  const sums = [await addTo(key, 'uses', limited, NOW), await addTo(key, 'uses', limited, NOW)]
  expect([...sums, await addTo(key, 'uses', limited, NOW)]).toEqual([4, 8, 12])
  expect(await addTo(key, 'uses', limited, NOW)).toBeUndefined()
  expect((await get('counter'))?.uses).toEqual({ N: '12' })
})

test('the sweeper finds a due item, and making it due again does not delay it', async () => {
  const key = { pk: 'domain#kind#x', sk: 's' }
  await makeDue(key, 'to-be-done', NOW)
  await makeDue(key, 'to-be-done', NOW + 3_600_000)
  expect(await queryDue('to-be-done', new Date(NOW), 10)).toEqual([key])
})

test('a ciphertext of the official client under the root key opens only under its context', async () => {
  const client = new KMSClient({ endpoint: kms.endpoint })
  const Plaintext = randomBytes(32)
  const EncryptionContext = { 'keymgr:domain': 'd', 'keymgr:domain-key': 'k' }
  const { CiphertextBlob } = await client.send(new EncryptCommand({ KeyId: rootKey.id, Plaintext, EncryptionContext }))
  client.destroy()
  const sealed = Buffer.from(CiphertextBlob ?? []).toString('base64')
  expect(await decryptWithRootKey(sealed, EncryptionContext, NOW)).toEqual(Plaintext)
  await expect(decryptWithRootKey(sealed, { ...EncryptionContext, 'keymgr:domain': 'e' }, NOW)).rejects.toMatchObject({
    name: 'ServiceRefusal',
    type: 'InvalidCiphertextException',
  })
})

test.each(['throttling', 'internal-error', 'commit-then-timeout'] as const)(
  'one answer of %s is passed over, two are not',
  async (fault) => {
    await put('passing', { data: { S: '7' } })
    proxy().inject({ fault, times: 1 })
    expect(await readEntity({ pk: 'passing', sk: 's' }, NOW)).toBe(7)
    const back = proxy().inject({ fault })
    await refused('UNAVAILABLE', () => readEntity({ pk: 'passing', sk: 's' }, NOW))
    back()
    expect(await readEntity({ pk: 'passing', sk: 's' }, NOW)).toBe(7)
  },
)

test.each([undefined, 'session/token+='])(
  'the signature is the one a service computes (session token: %s)',
  (token) => {
    const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret/+key', sessionToken: token }
    const body = '{"TableName":"ü"}'
    const signed = signedHeaders(
      {
        service: 'dynamodb',
        host: 'dynamodb.eu-west-1.amazonaws.com',
        target: 'DynamoDB_20120810.GetItem',
        contentType: 'application/x-amz-json-1.0',
        body,
        epochMs: NOW,
      },
      { region: 'eu-west-1', credentials },
    )
    const claim = readAuthorization(signed)
    expect(claim).toMatchObject({ accessKeyId: 'AKID', date: '20260504', region: 'eu-west-1', service: 'dynamodb' })
    expect(claim.signedHeaders).toContain('x-amz-target')
    expect(claim.signedHeaders.includes('x-amz-security-token')).toBe(token !== undefined)
    const request = { method: 'POST', url: '/', headers: signed, body: Buffer.from(body) }
    expect(() => verifySignature(request, claim, 'secret/+key')).not.toThrow()
    expect(() => verifySignature(request, claim, 'secret/+kex')).toThrow()
  },
)

test('the signature follows the credentials, the day, the region and the service', () => {
  const variants = ['a', 'b', 'a'].flatMap((secretAccessKey) =>
    [NOW, NOW + 86_400_000].flatMap((epochMs) =>
      ['eu-west-1', 'us-east-1'].flatMap((region) =>
        (['dynamodb', 'kms'] as const).map((service) => ({ secretAccessKey, epochMs, region, service })),
      ),
    ),
  )
  for (const { secretAccessKey, epochMs, region, service } of variants) {
    const call = { service, host: 'h.test', target: 'T.Op', contentType: 'application/x-amz-json-1.1', body: '{}' }
    const credentials = { accessKeyId: 'AKID', secretAccessKey, sessionToken: undefined }
    const headers = signedHeaders({ ...call, epochMs }, { region, credentials })
    const request = { method: 'POST', url: '/', headers, body: Buffer.from('{}') }
    expect(() => verifySignature(request, readAuthorization(headers), secretAccessKey)).not.toThrow()
  }
})
