import {
  CreateKeyCommand,
  DecryptCommand,
  EncryptCommand,
  type CreateCustomKeyStoreCommandInput,
} from '@aws-sdk/client-kms'
import { expect, test } from 'vitest'
import { ACCOUNTS, accountOf, outcome } from '../clients.ts'
import { signatureOf } from '../signature.ts'
import { pathIn } from './xks-proxy.ts'
import {
  simulator,
  account,
  newPlace,
  create,
  describe,
  connect,
  stateOf,
  disconnect,
  update,
  WRONG_STATE,
  proxy,
  keyIn,
  useStores,
} from './stores.ts'

useStores()

/** DescribeClusters, signed by hand, because the client of that service is not a dependency. */
async function describeClusters(region: string, input: object, service = 'cloudhsm') {
  const { accessKeyId, secretAccessKey: secret } = accountOf(simulator, account).credentials
  const body = JSON.stringify(input)
  const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const headers = {
    host: new URL(simulator.endpoint).host,
    'x-amz-date': stamp,
    'x-amz-target': 'BaldrApiService.DescribeClusters',
  }
  const signature = signatureOf({ path: '/', headers, body }, { region, service, secret })
  const credential = `${accessKeyId}/${stamp.slice(0, 8)}/${region}/${service}/aws4_request`
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host;x-amz-date;x-amz-target, Signature=${signature}`
  const answer = await fetch(simulator.endpoint, { method: 'POST', headers: { ...headers, authorization }, body })
  return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> }
}

test('each region of an account of the first partition has two clusters, one of them active', async () => {
  const { region } = newPlace()
  const [active, blank] = simulator.clustersIn(account, region)
  expect(active?.id).toMatch(/^cluster-[2-7a-z]{11}$/)
  const all = await describeClusters(region, {})
  expect(all.status).toBe(200)
  const rows = [
    { ClusterId: active?.id, State: 'ACTIVE', VpcId: active?.vpcId },
    { ClusterId: blank?.id, State: 'UNINITIALIZED', VpcId: blank?.vpcId },
  ]
  expect(all.body).toMatchObject({
    Clusters: rows.sort((a, b) => String(a.ClusterId).localeCompare(String(b.ClusterId))),
  })
  const found = await describeClusters(region, { Filters: { states: ['ACTIVE'] } })
  expect(found.body).toMatchObject({
    Clusters: [{ ClusterId: active?.id, Hsms: [{ State: 'ACTIVE' }, { State: 'ACTIVE' }] }],
  })
  const first = await describeClusters(region, { MaxResults: 1 })
  const second = await describeClusters(region, { MaxResults: 1, NextToken: first.body.NextToken })
  expect([first.body.Clusters, second.body.Clusters]).toEqual([
    [expect.objectContaining({ ClusterId: expect.any(String) })],
    [expect.objectContaining({ ClusterId: expect.any(String) })],
  ])
  expect(second.body).not.toHaveProperty('NextToken')
  expect(await describeClusters(region, { Filters: { colours: ['red'] } })).toMatchObject({
    status: 400,
    body: { __type: 'CloudHsmInvalidRequestException' },
  })
  expect((await describeClusters(region, {}, 'kms')).body).toMatchObject({ __type: 'InvalidSignatureException' })
  expect(simulator.clustersIn(ACCOUNTS.gov, 'us-gov-west-1')).toEqual([])
  expect(() => simulator.alterCluster(account, region, 'cluster-x', {})).toThrow('There is no cluster')
})

test('a store on a hardware cluster lives and dies by the rules of clusters', async () => {
  const { region, kms } = newPlace()
  const [active, blank] = simulator.clustersIn(account, region)
  if (active === undefined || blank === undefined) throw new Error('There are no clusters.')
  const input = {
    CustomKeyStoreName: 'hardware',
    CloudHsmClusterId: active.id,
    KeyStorePassword: 'not-the-right-one',
    TrustAnchorCertificate: active.trustAnchor,
  }
  const attempt = (change: Partial<CreateCustomKeyStoreCommandInput>) => outcome(create(kms, { ...input, ...change }))
  for (const id of ['cluster-aaaaaaaaaaa', 'cluster-1a23b4cdefg'])
    expect(await attempt({ CloudHsmClusterId: id })).toBe('CloudHsmClusterNotFoundException')
  expect(await attempt({ CloudHsmClusterId: 'cluster-1' })).toBe('ValidationException')
  expect(await attempt({ CloudHsmClusterId: blank.id })).toBe('CloudHsmClusterNotActiveException')
  expect(await attempt({ TrustAnchorCertificate: blank.trustAnchor })).toBe('IncorrectTrustAnchorException')
  expect(await attempt({ KeyStorePassword: 'short' })).toBe('ValidationException')
  expect(await attempt({ KeyStorePassword: undefined })).toBe('ValidationException')
  expect(await attempt({ XksProxyUriPath: pathIn(region) })).toBe('ValidationException')
  simulator.alterCluster(account, region, active.id, { hsms: 1 })
  expect(await attempt({})).toBe('CloudHsmClusterInvalidConfigurationException')
  simulator.alterCluster(account, region, active.id, { hsms: 2 })
  const id = await create(kms, input)
  expect(await attempt({ CustomKeyStoreName: 'second' })).toBe('CloudHsmClusterInUseException')
  const { CreationDate: _, ...shown } = await describe(kms, id)
  expect(shown).toEqual({
    CustomKeyStoreId: id,
    CustomKeyStoreName: 'hardware',
    CustomKeyStoreType: 'AWS_CLOUDHSM',
    ConnectionState: 'DISCONNECTED',
    CloudHsmClusterId: active.id,
    TrustAnchorCertificate: active.trustAnchor,
  })
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['FAILED', 'INVALID_CREDENTIALS'])
  await disconnect(kms, id)
  expect(await update(kms, id, { KeyStorePassword: active.kmsuserPassword })).toBe('done')
  simulator.alterCluster(account, region, active.id, { hsms: 0 })
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['FAILED', 'INSUFFICIENT_CLOUDHSM_HSMS'])
  await disconnect(kms, id)
  simulator.alterCluster(account, region, active.id, { hsms: 2 })
  simulator.alterCluster(account, region, blank.id, { state: 'ACTIVE', hsms: 2 })
  expect(await update(kms, id, { CloudHsmClusterId: blank.id })).toBe('CloudHsmClusterNotRelatedException')
  simulator.alterCluster(account, region, blank.id, { trustAnchor: active.trustAnchor })
  expect(await update(kms, id, { CloudHsmClusterId: blank.id })).toBe('done')
  expect(await update(kms, id, { CloudHsmClusterId: active.id })).toBe('done')
  await connect(kms, id)
  expect(await stateOf(kms, id)).toEqual(['CONNECTED', undefined])
  expect(await update(kms, id, { KeyStorePassword: 'another-one' })).toBe(WRONG_STATE)
  expect(await update(kms, id, { NewCustomKeyStoreName: 'renamed' })).toBe('done')

  const { KeyMetadata } = await kms.send(new CreateKeyCommand({ CustomKeyStoreId: id, Origin: 'AWS_CLOUDHSM' }))
  expect(KeyMetadata).toMatchObject({ Origin: 'AWS_CLOUDHSM', CustomKeyStoreId: id, CloudHsmClusterId: active.id })
  const KeyId = KeyMetadata?.KeyId ?? ''
  const { CiphertextBlob } = await kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('hardware') }))
  const opened = await kms.send(new DecryptCommand({ CiphertextBlob }))
  expect(Buffer.from(opened.Plaintext ?? []).toString()).toBe('hardware')
  expect(proxy.seen).toEqual([])
  expect(await outcome(keyIn(kms, id, 'x'))).toBe('ValidationException')
  await disconnect(kms, id)
  expect(await outcome(kms.send(new DecryptCommand({ CiphertextBlob })))).toBe('KMSInvalidStateException')
})
