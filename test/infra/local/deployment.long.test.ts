import { createHash, X509Certificate } from 'node:crypto'
import * as fs from 'node:fs'
import * as https from 'node:https'
import * as path from 'node:path'
import { CreateCustomKeyStoreCommand, CreateKeyCommand, DescribeKeyCommand, KMSClient } from '@aws-sdk/client-kms'
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LOCAL_ACCOUNT } from '../../../infra/local/stand-ins/account.ts'
import { ownIdentity } from '../../../infra/local/gateway/certificate.ts'
import { startDeployment, type Deployment, type DeploymentOptions } from '../../../infra/local/deployment.ts'
import { startTable } from '../../../infra/local/table/table.ts'
import { SIMULATORS } from '../../../infra/simulators/all.ts'
import { endpointsKey } from '../../../infra/simulators/toolkit/simulator.ts'
import { buildFixtures, ROWS, temporaryFolder } from './deployment-support.ts'

let bundles: string
const folders: string[] = []
const freshFolder = () => {
  const folder = path.join(temporaryFolder(), 'data')
  folders.push(path.dirname(folder))
  return folder
}
const start = (options: Partial<DeploymentOptions>) => startDeployment({ bundles, functions: ROWS, ...options })
const modeOf = (...parts: string[]) => (fs.statSync(path.join(...parts)).mode & 0o777).toString(8)
const refusal = (message: RegExp) =>
  expect.objectContaining({ name: 'StartRefusal', message: expect.stringMatching(message) as string }) as Error

beforeAll(async () => {
  bundles = await buildFixtures()
})
afterAll(() => folders.forEach((folder) => fs.rmSync(folder, { recursive: true })))

test('the first start generates the administrator’s password, and the next one keeps all data', async () => {
  const dataDir = freshFolder()
  const first = await start({ dataDir })
  expect(first).toMatchObject({ administrator: 'admin', generatedPassword: 'made-at-the-first-start' })
  await first.fire('drain-outbox')
  const rootKeyId = first.rootKeyId
  await first.stop()
  const second = await start({ dataDir })
  expect(second).toMatchObject({ administrator: 'admin', rootKeyId })
  expect(second.generatedPassword).toBeUndefined()
  await second.stop()
  expect(fs.readFileSync(path.join(dataDir, 'events.jsonl'), 'utf8').trim().split('\n')).toHaveLength(1)
})

test('a data directory and its files are accessible only to their owner', async () => {
  const dataDir = freshFolder()
  const deployment = await start({ dataDir, tlsPort: 'any' })
  expect(modeOf(dataDir)).toBe('700')
  expect(modeOf(dataDir, 'objects')).toBe('700')
  const secret = ['root-key.json', 'root-key.check', 'lock', 'endpoints.json', 'keymgr.log', 'tls-key.pem']
  for (const name of [...secret, 'flows.jsonl', 'schedules.jsonl', 'cloud-a.jsonl']) {
    expect([name, modeOf(dataDir, name)]).toEqual([name, '600'])
  }
  await deployment.stop()
})

test('endpoints.json contains the addresses while the deployment runs', async () => {
  const dataDir = freshFolder()
  const deployment = await start({ dataDir, tlsPort: 'any' })
  const file = path.join(dataDir, 'endpoints.json')
  const endpoints = JSON.parse(fs.readFileSync(file, 'utf8')) as Record<string, unknown>
  expect(endpoints).toEqual({
    base_url: `${deployment.baseUrl}/api`,
    origin: deployment.baseUrl,
    tls_base_url: `${String(deployment.tlsBaseUrl)}/api`,
    tls_origin: deployment.tlsBaseUrl,
    api_description: `${deployment.baseUrl}/api/v1/openapi.json`,
    pid: process.pid,
    credentials: {
      access_key_id: LOCAL_ACCOUNT.credentials.accessKeyId,
      secret_access_key: LOCAL_ACCOUNT.credentials.secretAccessKey,
      region: LOCAL_ACCOUNT.region,
    },
    table: deployment.table,
    kms: { endpoint: deployment.kms.endpoint, key_id: deployment.rootKeyId },
    events: { endpoint: deployment.environmentOf('echo').AWS_ENDPOINT_URL_EVENTBRIDGE, bus: 'keymgr' },
    ...Object.fromEntries(
      SIMULATORS.map((row) => [
        endpointsKey(row),
        expect.objectContaining({ endpoint: deployment.cloudEndpoints[row.cloud] }),
      ]),
    ),
    step_functions: { endpoint: deployment.environmentOf('echo').AWS_ENDPOINT_URL_SFN },
    scheduler: { endpoint: deployment.environmentOf('echo').AWS_ENDPOINT_URL_SCHEDULER, group: 'keymgr-jobs' },
    objects: { endpoint: deployment.environmentOf('echo').AWS_ENDPOINT_URL_S3, bucket: 'keymgr-objects' },
    identity_provider: expect.objectContaining({
      connection: expect.objectContaining({ issuer: deployment.people.issuer }),
    }),
    directory: expect.objectContaining({
      connection: expect.objectContaining({ url: deployment.people.directoryUrl }),
    }),
    ca_certificate: deployment.caCertificate,
  })
  // functions receive an address or, for the workspace, a path below it
  for (const row of SIMULATORS)
    expect(deployment.environmentOf('echo')[row.variable]).toContain(deployment.cloudEndpoints[row.cloud])
  expect(deployment.environmentOf('echo')).toMatchObject({
    KEYMGR_KACLS_KEY_SETS: deployment.workspace.keySets,
    KEYMGR_KACLS_LOOPBACK: 'allowed',
  })
  expect(endpoints).toMatchObject({
    cloud_a: {
      accounts: deployment.cloudA.accounts.map(({ id, cloud_name, credentials }) => ({
        id,
        cloud_name,
        access_key_id: credentials.accessKeyId,
        secret_access_key: credentials.secretAccessKey,
      })),
      proxy_host: 'xks.keymgr.test',
    },
    cloud_b: { client_id: deployment.cloudB.credentials[0]?.clientId, vaults: { managed_hsm: 'shop-hsm' } },
    cloud_c: {
      key_files: deployment.cloudC.keyFiles,
      projects: [
        { id: 'shop-keys' },
        { id: 'bank-keys', key_rings: ['projects/bank-keys/locations/us-east1/keyRings/ledger'] },
      ],
    },
    cloud_d: {
      connections: deployment.cloudD.credentials.map(({ tenancyId, userId, fingerprint, region, privateKey }) => ({
        ...{ tenancy_id: tenancyId, cloud_user_id: userId, fingerprint, region },
        credentials: { key_file: privateKey },
      })),
      key_manager_host: 'ekm.keymgr.test',
    },
  })
  await deployment.stop()
  expect(fs.existsSync(file)).toBe(false)
})

test('a deployment in memory leaves nothing behind, and finds nothing again', async () => {
  const dataDir = freshFolder()
  for (let i = 0; i < 2; i++) {
    const deployment = await start({ dataDir, inMemory: true })
    expect(deployment.generatedPassword).toBe('made-at-the-first-start')
    expect(deployment.dataDir).toBeUndefined()
    await deployment.stop()
  }
  expect(fs.existsSync(dataDir)).toBe(false)
})

test('a given password is not printed, and an invalid one ends the start', async () => {
  const deployment = await start({ adminPassword: 'Given-1-by-hand' })
  expect(deployment.generatedPassword).toBeUndefined()
  await deployment.stop()
  await expect(start({ adminPassword: 'refused' })).rejects.toEqual(
    refusal(/^The deployment could not be set up: the password is too weak\.$/),
  )
})

test('functions use the time of the clock', async () => {
  const deployment = await start({})
  deployment.clock.set(new Date('2040-01-01T00:00:00Z'))
  deployment.clock.advance(86_400_000)
  expect(deployment.clock.now().toISOString()).toMatch(/^2040-01-02T00:00/)
  const { scheduled_time } = (await deployment.fire('sweep-due')) as { scheduled_time: string }
  expect(scheduled_time).toMatch(/^2040-01-02T00:00/)
  const { event } = (await (await fetch(`${deployment.baseUrl}/api/v1/echo`)).json()) as {
    event: APIGatewayProxyEventV2
  }
  expect(new Date(event.requestContext.timeEpoch).toISOString()).toMatch(/^2040-01-02T00:00/)
  expect(deployment.events()).toMatchObject([
    { 'detail-type': 'sweep-due', bus: 'keymgr', time: expect.stringMatching(/^2040-01-02/) as string },
  ])
  await deployment.stop()
})

const startFlow = ({ flows }: Deployment, name: string) => {
  const { region, credentials } = LOCAL_ACCOUNT
  const input = '{"domain":"d","job":"j","generation":0}'
  return new SFNClient({ endpoint: flows.endpoint, region, credentials }).send(
    new StartExecutionCommand({ stateMachineArn: flows.arnOf('synchronize'), name, input }),
  )
}

test('a flow calls the triggers function, by the clock of the deployment, and pauses for the configured time', async () => {
  const pauses: number[] = []
  const deployment = await start({ flowPauseMs: (seconds) => pauses.push(seconds) })
  deployment.clock.set(new Date('2040-01-01T00:00:00Z'))
  await startFlow(deployment, 'a')
  await deployment.flows.idle()
  expect(deployment.flows.executions()).toMatchObject([{ flow: 'synchronize', name: 'a', status: 'SUCCEEDED' }])
  const scheduled_time = expect.stringMatching(/^2040-01-01T00:00:/) as string
  const steps = ['plan', 'part', 'part', 'finish'].map((step) => ({ step, scheduled_time }))
  expect(deployment.events().map(({ detail }) => detail)).toEqual(steps)
  expect(pauses).toContain(3600)
  await deployment.stop()
})

test('only functions that start flows know their address', async () => {
  const deployment = await start({})
  const address = { KEYMGR_FLOW_SYNCHRONIZE: deployment.flows.arnOf('synchronize') }
  expect(deployment.environmentOf('triggers')).toMatchObject(address)
  expect(deployment.environmentOf('echo')).not.toHaveProperty('KEYMGR_FLOW_SYNCHRONIZE')
  expect(deployment.environmentOf('echo')).toMatchObject({ AWS_ENDPOINT_URL_SFN: deployment.flows.endpoint })
  await deployment.stop()
})

test('a stop does not wait for a flow that waits; the next start finds it aborted', async () => {
  const dataDir = freshFolder()
  const first = await start({ dataDir })
  await startFlow(first, 'a')
  await expect.poll(() => first.events().length).toBe(2) // the part was answered, and its hour starts
  await first.stop()
  await first.flows.idle()
  const second = await start({ dataDir })
  expect(second.flows.executions()).toMatchObject([{ name: 'a', status: 'ABORTED', error: 'Deployment.Stopped' }])
  await second.stop()
})

test('stop completes calls in progress and refuses later ones', async () => {
  const deployment = await start({})
  const slow = fetch(`${deployment.baseUrl}/api/v1/echo/deep/trouble/slow`)
  await deployment.invoke('trouble', { rawPath: 'calls' }) // by now the slow call has been accepted
  await expect
    .poll(async () => ((await deployment.invoke('trouble', { rawPath: 'calls' })) as { calls: number }).calls)
    .toBeGreaterThan(2)
  const stopped = deployment.stop()
  expect(await (await slow).json()).toEqual({ slow: true })
  await stopped
  await expect(fetch(deployment.baseUrl)).rejects.toThrow()
  await deployment.stop() // a second call changes nothing
})

test('a table service that already runs is used, and left running', async () => {
  const table = await startTable()
  const deployment = await start({ tableEndpoint: table.endpoint })
  expect(deployment.table.endpoint).toBe(table.endpoint)
  await deployment.stop()
  expect((await fetch(table.endpoint)).status).toBe(200)
  await table.stop()
})

test('the simulated cloud keeps its keys; one that the user names is used instead', async () => {
  const dataDir = freshFolder()
  const first = await start({ dataDir })
  const [account] = first.cloudA.accounts
  const { accessKeyId, secretAccessKey } = account?.credentials ?? { accessKeyId: '', secretAccessKey: '' }
  const kmsAt = (endpoint: string) =>
    new KMSClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId, secretAccessKey } })
  const { KeyMetadata } = await kmsAt(first.cloudA.endpoint).send(new CreateKeyCommand({ Description: 'kept' }))
  await first.stop()
  const second = await start({ dataDir })
  const named = await start({ cloudEndpoints: { 'cloud-a': second.cloudA.endpoint } })
  expect(named.environmentOf('echo').CLOUD_A_ENDPOINT).toBe(second.cloudA.endpoint)
  expect(() => named.cloudA).toThrow(`Cloud-a is not simulated here, it is at ${second.cloudA.endpoint}.`)
  await named.stop()
  const found = await kmsAt(second.cloudA.endpoint).send(new DescribeKeyCommand({ KeyId: KeyMetadata?.Arn }))
  expect(found.KeyMetadata).toMatchObject({ Arn: KeyMetadata?.Arn, Description: 'kept' })
  await second.stop()
})

test('the simulated cloud-c keeps keys and key files; one that the user names is used instead', async () => {
  const dataDir = freshFolder()
  const ring = 'projects/shop-keys/locations/europe-west3/keyRings/orders'
  const first = await start({ dataDir })
  first.cloudC.seed(ring, 1, () => ({ id: 'kept' }))
  const [{ private_key }] = first.cloudC.keyFiles
  await first.stop()
  const second = await start({ dataDir })
  expect(second.cloudC.keysIn(ring).map(({ id }) => id)).toEqual(['kept'])
  expect(second.cloudC.keyFiles[0].private_key).toBe(private_key)
  const named = await start({ cloudEndpoints: { 'cloud-c': second.cloudC.endpoint } })
  expect(named.environmentOf('echo').CLOUD_C_ENDPOINT).toBe(second.cloudC.endpoint)
  expect(() => named.cloudC).toThrow(`Cloud-c is not simulated here, it is at ${second.cloudC.endpoint}.`)
  await named.stop()
  await second.stop()
})

test('an engine that ends by itself is reported in one sentence', async () => {
  const failure = Promise.withResolvers<string>()
  const deployment = await start({ dataDir: freshFolder(), onFailure: failure.resolve })
  const { engine } = JSON.parse(fs.readFileSync(path.join(String(deployment.dataDir), 'lock'), 'utf8')) as {
    engine: { pid: number }
  }
  process.kill(engine.pid, 'SIGKILL')
  expect(await failure.promise).toMatch(/^The table engine ended unexpectedly/)
  await deployment.stop()
})

test('a directory that a running deployment uses is refused', async () => {
  const dataDir = freshFolder()
  const deployment = await start({ dataDir })
  const build = () => Promise.reject(new Error('It was built, though the start is refused'))
  await expect(start({ dataDir, build })).rejects.toEqual(
    refusal(/is in use by another running instance \(process \d+/),
  )
  expect((await fetch(`${deployment.baseUrl}/api/v1/echo`)).status).toBe(200)
  await deployment.stop()
})

test.each([
  ['of a process that is gone', { pid: 4_000_000, started: 'once' }],
  ['of a process id that was given again', { pid: process.pid, started: 'another boot/1' }],
])('a lock %s is stale', async (_what, holder) => {
  const dataDir = freshFolder()
  fs.mkdirSync(dataDir)
  fs.writeFileSync(path.join(dataDir, 'lock'), JSON.stringify(holder))
  const deployment = await start({ dataDir })
  expect(JSON.parse(fs.readFileSync(path.join(dataDir, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid })
  await deployment.stop()
  expect(fs.readdirSync(dataDir).filter((name) => name.startsWith('lock'))).toEqual([])
})

test('a lock that is no lock file at all is stale too', async () => {
  const dataDir = freshFolder()
  fs.mkdirSync(dataDir)
  fs.writeFileSync(path.join(dataDir, 'lock'), 'half a li')
  await (await start({ dataDir })).stop()
})

test.each<[string, (dataDir: string) => void, RegExp]>([
  [
    'made with another root key',
    (dataDir) => {
      const file = path.join(dataDir, 'root-key.json')
      const key = JSON.parse(fs.readFileSync(file, 'utf8')) as { versions: string[] }
      key.versions = [createHash('sha256').update('another').digest('base64')]
      fs.writeFileSync(file, JSON.stringify(key))
    },
    /was made with another root key/,
  ],
  [
    'without its root key',
    (dataDir) => fs.rmSync(path.join(dataDir, 'root-key.json')),
    /its root key .* is missing\.$/,
  ],
  ['without its check value', (dataDir) => fs.rmSync(path.join(dataDir, 'root-key.check')), /has lost root-key.check/],
  [
    'with a root key open to others',
    (dataDir) => fs.chmodSync(path.join(dataDir, 'root-key.json'), 0o640),
    /open to others; close it with chmod 600/,
  ],
  [
    'without its table',
    (dataDir) => fs.rmSync(path.join(dataDir, 'table.db')),
    /has lost its table: bring table\.db back from a copy, or start with --begin-anew/,
  ],
  [
    'with a damaged root key',
    (dataDir) => fs.writeFileSync(path.join(dataDir, 'root-key.json'), '{"key_id":1}'),
    /is damaged/,
  ],
])('a data directory %s is refused, and then not locked', async (_what, spoil, message) => {
  const dataDir = freshFolder()
  await (await start({ dataDir })).stop()
  spoil(dataDir)
  await expect(start({ dataDir })).rejects.toEqual(refusal(message))
  expect(fs.existsSync(path.join(dataDir, 'lock'))).toBe(false)
})

test('a lost table is created again on request', async () => {
  const dataDir = freshFolder()
  await (await start({ dataDir })).stop()
  fs.rmSync(path.join(dataDir, 'table.db'))
  const anew = await start({ dataDir, beginAnew: true })
  expect(anew.generatedPassword).toBe('made-at-the-first-start')
  await anew.stop()
})

test('a directory with other files is refused, and stays as it is', async () => {
  const dataDir = freshFolder()
  fs.mkdirSync(dataDir, { mode: 0o755 })
  fs.writeFileSync(path.join(dataDir, 'letter.txt'), '')
  await expect(start({ dataDir })).rejects.toEqual(refusal(/holds files that are not keymgr's/))
  expect(modeOf(dataDir)).toBe('755')
})

test('a directory that cannot be written is refused', async () => {
  const file = freshFolder()
  fs.writeFileSync(file, '')
  await expect(start({ dataDir: path.join(file, 'below') })).rejects.toEqual(
    refusal(/cannot be written \(ENOTDIR\)\.$/),
  )
})

test('a port in use is refused, and the directory is free again', async () => {
  const running = await start({})
  const dataDir = freshFolder()
  const port = Number(new URL(running.baseUrl).port)
  await expect(start({ dataDir, port })).rejects.toEqual(
    refusal(/^Port \d+ is taken by another program; choose another with --port\.$/),
  )
  await expect(start({ dataDir, tlsPort: port })).rejects.toEqual(refusal(/with --tls-port\.$/))
  expect(fs.existsSync(path.join(dataDir, 'lock'))).toBe(false)
  await running.stop()
})

test('over TLS the self-made certificate is valid, and a client’s own one reaches the function', async () => {
  const dataDir = freshFolder()
  const deployment = await start({ dataDir, tlsPort: 'any' })
  const ca = deployment.caCertificate
  const client = ownIdentity(undefined, new Date())
  const certificate = new X509Certificate(client.cert)
  for (const host of ['localhost', '127.0.0.1']) {
    const event = await eventOver(String(deployment.tlsBaseUrl), { ca, host })
    expect(event.requestContext.authentication).toBeUndefined()
    expect(event.headers['x-forwarded-proto']).toBe('https')
  }
  const event = await eventOver(String(deployment.tlsBaseUrl), { ca, cert: client.cert, key: client.key })
  expect(event.requestContext.authentication?.clientCert).toEqual({
    clientCertPem: client.cert,
    subjectDN: 'CN=keymgr local deployment',
    issuerDN: 'CN=keymgr local deployment',
    serialNumber: certificate.serialNumber.toLowerCase().match(/../g)?.join(':'),
    validity: { notBefore: certificate.validFrom, notAfter: certificate.validTo },
  })
  await expect(eventOver(String(deployment.tlsBaseUrl), { ca: client.cert })).rejects.toThrow(/self-signed certificate/)
  await deployment.stop()
  const again = await start({ dataDir, tlsPort: 'any' })
  expect(again.caCertificate).toBe(ca)
  await again.stop()
})

test('the simulated cloud-a finds the deployment under its own names, and its functions can check who calls', async () => {
  const deployment = await start({ tlsPort: 'any', proxyTimeoutMs: 5_000 })
  const { cloudA } = deployment
  const credentials = cloudA.accounts[0]?.credentials ?? { accessKeyId: '', secretAccessKey: '' }
  const client = new KMSClient({ endpoint: cloudA.endpoint, region: 'us-east-1', credentials, maxAttempts: 1 })
  const refusalAt = (XksProxyUriEndpoint: string) =>
    client
      .send(
        new CreateCustomKeyStoreCommand({
          CustomKeyStoreName: 'ours',
          CustomKeyStoreType: 'EXTERNAL_KEY_STORE',
          XksProxyConnectivity: 'PUBLIC_ENDPOINT',
          XksProxyUriEndpoint,
          XksProxyUriPath: '/api/v1/echo/kms/xks/v1',
          XksProxyAuthenticationCredential: { AccessKeyId: 'A'.repeat(20), RawSecretAccessKey: 'a'.repeat(44) },
        }),
      )
      .catch((error: unknown) => (error instanceof Error ? error.name : ''))
  // the function at that address answers, but is not a proxy
  expect(await refusalAt('https://xks.keymgr.test')).toBe('XksProxyInvalidResponseException')
  expect(await refusalAt('https://xks.keymgr.example')).toBe('XksProxyUriUnreachableException')
  const anchor = deployment.environmentOf('echo').KEYMGR_XKS_TRUST_ANCHORS
  expect(anchor).toBe(cloudA.proxyClientAuthority)
  expect(new X509Certificate(cloudA.proxyClientAuthority).ca).toBe(true)
  await deployment.stop()
})

test('a self-made certificate is valid for 397 days and replaced before it ends', () => {
  const folder = freshFolder()
  fs.mkdirSync(folder)
  const { cert } = ownIdentity(folder, new Date('2030-01-01T00:00:00Z'))
  const certificate = new X509Certificate(cert)
  expect((Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 86_400_000).toBe(397)
  expect(certificate.subjectAltName).toBe(
    'DNS:localhost, DNS:*.keymgr.test, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  )
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(ownIdentity(folder, new Date('2031-01-01T00:00:00Z')).cert).toBe(cert)
  expect(ownIdentity(folder, new Date('2031-01-29T00:00:00Z')).cert).not.toBe(cert)
})

test('a certificate and a key of different pairs are refused', async () => {
  const folder = freshFolder()
  fs.mkdirSync(folder)
  const [tlsCert, tlsKey] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
  fs.writeFileSync(tlsCert, ownIdentity(undefined, new Date()).cert)
  fs.writeFileSync(tlsKey, ownIdentity(undefined, new Date()).key)
  await expect(start({ tlsPort: 'any', tlsCert, tlsKey })).rejects.toEqual(refusal(/do not belong together\.$/))
  await expect(start({ tlsPort: 'any', tlsCert: `${tlsCert}x`, tlsKey })).rejects.toEqual(refusal(/cannot be read/))
})

function eventOver(base: string, options: https.RequestOptions): Promise<APIGatewayProxyEventV2> {
  const { port } = new URL(base)
  return new Promise((resolve, reject) => {
    https
      .get({ host: 'localhost', port, path: '/api/v1/echo', agent: false, ...options }, (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.on('end', () => resolve((JSON.parse(body) as { event: APIGatewayProxyEventV2 }).event))
      })
      .on('error', reject)
  })
}
