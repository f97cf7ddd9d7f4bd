import { createCipheriv, generateKeyPairSync, randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plantCloudSecrets } from './cloud-b/planted-secrets.ts'
import { plantCloudDSecrets } from './cloud-d/planted-secrets.ts'
import { plantCrmSecrets } from './crm/planted-secrets.ts'
import { plantDatacustSecrets } from './datacust/planted-secrets.ts'
import { filesBelow, found, textMarker, type Marker, type Place } from '../support/markers.ts'
import { useService, type Answered, type CallOptions } from '../support/service.ts'

/**
 * Puts markers into every secret field, then searches for them in everything that the deployment leaves behind. A
 * harmless marker goes through the same fields and must be found, which proves that the search works.
 */
const folder = fs.mkdtempSync(path.join(tmpdir(), 'keymgr-markers-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const dataDir = path.join(folder, 'data')
const service = useService({ inMemory: false, dataDir })

const KEYS = '/v1/vault/keys2'
const USERS = '/v1/usermgmt/users'
const TOKENS = '/v1/auth/tokens'
const CONNECTIONS = '/v1/connectionmgmt/services/cloud-a/connections'
const STORES = '/v1/keymgr/cloud-a/custom-key-stores'

const secrets: Marker[] = []
const answers: Place[] = []
let token = ''

/** A password that every policy accepts, searched for from now on. */
function password(what: string): string {
  const text = `Pw-${randomBytes(9).toString('hex')}X`
  secrets.push(textMarker(what, text))
  return text
}

/** Key bytes, searched for as bytes and as hex. */
function material(what: string, bytes = randomBytes(32)): Buffer {
  secrets.push({ what, bytes }, textMarker(`${what} (hex)`, bytes.toString('hex')))
  return bytes
}

const HARMLESS = `harmless-${randomBytes(9).toString('hex')}`
const harmless = textMarker('the harmless marker', HARMLESS)

/** A call whose answer must not show a secret. */
async function ask(method: string, to: string, options: CallOptions = {}): Promise<Answered> {
  const answered = await service().call(method, to, { token, ...options })
  const content = Buffer.from(typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body))
  answers.push({ name: `the answer to ${method} ${to}`, content })
  return answered
}

/** A call whose answer returns a new secret to its caller; the search covers all other places. */
async function askForSecret(method: string, to: string, options: CallOptions = {}): Promise<any> {
  const { status, body } = await service().call(method, to, { token, ...options })
  expect([200, 201], JSON.stringify(body)).toContain(status)
  return body
}

async function refused(status: number, method: string, to: string, options: CallOptions): Promise<void> {
  const answered = await ask(method, to, options)
  expect(answered.status, `${method} ${to} ${JSON.stringify(answered.body)}`).toBe(status)
}

const made = async (to: string, body: object): Promise<any> => {
  const answered = await ask('POST', to, { body })
  expect(answered.status, JSON.stringify(answered.body)).toBe(201)
  return answered.body
}

/** Log-ins with right and wrong passwords, and their tokens. */
async function plantPasswords(): Promise<void> {
  const first = password('the password of a new user')
  await made(USERS, { username: 'marked', password: first, nickname: HARMLESS })
  const wrong = password('a wrong password')
  await refused(401, 'POST', TOKENS, { body: { name: 'marked', password: wrong } })
  await refused(401, 'POST', TOKENS, { body: { name: 'nobody-at-all', password: wrong } })
  await refused(401, 'POST', TOKENS, { body: { name: 'marked', password: wrong, domain: 'none' } })
  await refused(400, 'POST', TOKENS, { body: { name: 'marked', password: [password('a password of a wrong type')] } })
  const login = await askForSecret('POST', TOKENS, { body: { name: 'marked', password: first } })
  remember(login, 'of the first log-in')
  const next = password('a changed password')
  await refused(422, 'PATCH', '/v1/auth/changepw', {
    body: { username: 'marked', password: first, new_password: password('a new password too long').repeat(2) },
  })
  const changed = await ask('PATCH', '/v1/auth/changepw', {
    body: { username: 'marked', password: first, new_password: next },
  })
  expect(changed.status).toBe(204)
  remember(await askForSecret('POST', TOKENS, { body: { name: 'marked', password: next } }), 'of the second log-in')
  const renewal = { grant_type: 'refresh_token', refresh_token: login.refresh_token as string }
  await refused(401, 'POST', TOKENS, { body: renewal }) // the password has changed since
  const users = await ask('GET', `${USERS}?username=marked`)
  const byAdmin = password('a password set by an administrator')
  const set = await ask('PATCH', `${USERS}/${users.body.resources[0].user_id}`, { body: { password: byAdmin } })
  expect(set.status).toBe(200)
  const last = await askForSecret('POST', TOKENS, { body: { name: 'marked', password: byAdmin } })
  remember(last, 'of the third log-in')
  const renewed = await askForSecret('POST', TOKENS, {
    body: { grant_type: 'refresh_token', refresh_token: last.refresh_token as string, renew_refresh_token: true },
  })
  remember(renewed, 'of the renewal')
  const ended = await ask('POST', '/v1/auth/revoke', { body: { refresh_token: renewed.refresh_token as string } })
  expect(ended.status).toBe(204)
  await ask('GET', TOKENS)
}

/** The secret parts of tokens: the last part of a refresh token, the signature of a JWT. */
function remember(login: { jwt: string; refresh_token: string }, what: string): void {
  secrets.push(textMarker(`the refresh token ${what}`, login.refresh_token.split('.')[2] ?? ''))
  secrets.push(textMarker(`the token ${what}`, login.jwt.split('.')[2] ?? ''))
}

/** Imported material: raw, PEM, in a PFX, wrapped; and the same in requests that are refused. */
async function plantMaterial(): Promise<void> {
  const raw = material('raw material')
  const hex = raw.toString('hex')
  await made(KEYS, { name: `raw-${HARMLESS}`, description: HARMLESS, material: hex })
  await made(KEYS, { name: 'raw-base64', material: material('base64 material').toString('base64'), encoding: 'base64' })
  await refused(409, 'POST', KEYS, { body: { name: 'raw-base64', material: hex } })
  await refused(422, 'POST', KEYS, { body: { material: hex, size: 128 } })
  await refused(422, 'POST', KEYS, { body: { material: `${hex}zz` } })
  await refused(400, 'POST', KEYS, { body: { material: hex, shoe: hex } })
  await refused(422, 'POST', KEYS, { body: { material: hex, algorithm: hex.slice(0, 32) } })
  const version = material('material of a new version').toString('hex')
  expect((await ask('POST', `${KEYS}/raw-base64/versions`, { body: { material: version } })).status).toBe(201)

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  secrets.push({ what: 'an ec key', bytes: Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url') })
  for (const line of pem
    .split('\n')
    .filter((text) => text.length === 64)
    .slice(1))
    secrets.push(textMarker('a line of a PEM', line))
  await made(KEYS, { name: 'pem', algorithm: 'ec', material: pem })
  await refused(422, 'POST', KEYS, { body: { algorithm: 'rsa', material: pem } })
  await refused(422, 'POST', KEYS, { body: { algorithm: 'ec', material: pem.slice(0, -40) } })

  const pfxPassword = password('the password of a PFX')
  const pfx = await askForSecret('POST', `${KEYS}/pem/export`, { body: { format: 'pkcs12', password: pfxPassword } })
  await made(KEYS, { algorithm: 'ec', format: 'pkcs12', material: pfx.material, password: pfxPassword })
  const wrongPassword = password('a wrong password of a PFX')
  const withWrong = { algorithm: 'ec', format: 'pkcs12', material: pfx.material as string, password: wrongPassword }
  await refused(422, 'POST', KEYS, { body: withWrong })

  const kek = material('a wrapping key')
  await made(KEYS, { name: 'kek', material: kek.toString('hex') })
  const inside = material('wrapped material')
  const cipher = createCipheriv('id-aes256-wrap-pad', kek, Buffer.from('a65959a6', 'hex'))
  const wrapped = Buffer.concat([cipher.update(inside), cipher.final()]).toString('base64')
  await made(KEYS, { name: 'unwrapped', wrapKeyName: 'kek', material: wrapped })
}

/** Generated material, exported in every supported form. */
async function plantExports(): Promise<void> {
  const headers = { 'idempotency-key': 'marked-once' }
  const included = await askForSecret('POST', `${KEYS}?includeMaterial=true`, { body: { name: 'included' }, headers })
  material('included material', Buffer.from(included.material as string, 'hex'))
  const again = await askForSecret('POST', `${KEYS}?includeMaterial=true`, { body: { name: 'included' }, headers })
  expect(again).toEqual(included)
  await made(KEYS, { name: 'exported' })
  const exported = await askForSecret('POST', `${KEYS}/exported/export`, { body: {} })
  material('exported material', Buffer.from(exported.material as string, 'hex'))
  await askForSecret('POST', `${KEYS}/exported/export`, { body: { wrapKeyName: 'kek' } })
  const covered = { format: 'pkcs8', password: password('the password of an export') }
  await askForSecret('POST', `${KEYS}/pem/export`, { body: covered })
  const pbe = { wrappingMethod: 'pbe', password: password('the password of a wrapped export') }
  const { material: underPassword } = await askForSecret('POST', `${KEYS}/exported/export`, { body: pbe })
  await made(KEYS, { ...pbe, material: underPassword })
  const jwe = { format: 'jwe', password: password('the password of a JWE') }
  const { material: inJwe } = await askForSecret('POST', `${KEYS}/exported/export`, { body: jwe })
  await made(KEYS, { ...jwe, material: inJwe })
  await refused(422, 'POST', KEYS, { body: { ...jwe, material: inJwe, algorithm: 'ec' } })
  const useless = { format: 'raw', password: password('the password of a refused export') }
  await refused(422, 'POST', `${KEYS}/exported/export`, { body: useless })
}

/** Requests for certificates, with their keys and passwords. */
async function plantRequests(): Promise<void> {
  const CSR = '/v1/ca/csr'
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  secrets.push({
    what: 'the key of a request',
    bytes: Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url'),
  })
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  secrets.push(textMarker('a line of the key of a request', pem.split('\n')[2] ?? ''))
  const given = { cn: HARMLESS, privateKeyBytes: pem }
  await askForSecret('POST', CSR, { body: given, headers: { 'idempotency-key': 'a request' } })
  await refused(422, 'POST', CSR, { body: { ...given, cn: '' } })
  await refused(422, 'POST', CSR, { body: { ...given, privateKeyBytes: pem.slice(0, -40) } })
  const body = { cn: HARMLESS, password: password('the password of a request') }
  const made = await askForSecret('POST', CSR, { body })
  secrets.push(textMarker('a line of a new key', made.key.split('\n')[2]))
  await refused(400, 'POST', CSR, {
    body: { cn: 'a', password: [password('a password of a request, of a wrong type')] },
  })
  await refused(422, 'POST', '/v1/ca/external-cas', { body: { cert: pem } })
}

/** Registration tokens, and the keys that the service makes for clients. */
async function plantClients(): Promise<void> {
  const AT = '/v1/client-management'
  const { id } = await made('/v1/ca/local-cas', { cn: 'clients' })
  await ask('POST', `/v1/ca/local-cas/${id as string}/self-sign`)
  await ask('PATCH', `/v1/ca/local-cas/${id as string}`, { body: { allow_client_authentication: true } })
  const body = { ca_id: id as string, label: HARMLESS }
  const regtoken = await askForSecret('POST', `${AT}/regtokens`, { body, headers: { 'idempotency-key': 'regtoken' } })
  secrets.push(textMarker('a registration token', regtoken.token))
  const registration = { registration_token: regtoken.token, client_metadata: { HARMLESS } }
  const client = await askForSecret('POST', `${AT}/clients`, { body: registration })
  const renewed = await askForSecret('POST', `${AT}/clients/${client.id as string}/renew`, { body: {} })
  for (const key of [client.key, renewed.key])
    secrets.push(textMarker('a line of the key of a client', key.split('\n')[2]))
  await refused(422, 'POST', `${AT}/clients`, { body: { ...registration, csr: regtoken.token } })
  await refused(400, 'POST', `${AT}/clients`, { body: { ...registration, shoe: regtoken.token } })
  const wrong = password('a registration token that is none')
  await refused(401, 'POST', `${AT}/clients`, { body: { registration_token: wrong } })
  for (const shown of [`${AT}/regtokens`, `${AT}/clients`, `${AT}/clients/${client.id as string}`])
    expect((await ask('GET', shown)).status, shown).toBe(200)
  expect((await ask('PATCH', `${AT}/regtokens/${regtoken.id as string}`, { body: { max_clients: 9 } })).status).toBe(
    200,
  )
}

/** Copies of keys, and secrets of every kind: created, replaced, exported, refused. */
async function plantSecrets(): Promise<void> {
  const copied = await askForSecret('POST', `${KEYS}/included/clone`, {
    body: { newKeyName: 'copied', includeMaterial: true },
  })
  expect(copied.material).toMatch(/^[0-9a-f]{64}$/)
  const [bulk] = await askForSecret('POST', '/v1/vault/keys-bulk-export', { body: { ids: ['copied'] } })
  expect(bulk.material).toBe(copied.material)
  const at = '/v1/vault/secrets'
  const text = password('the password of a secret')
  await made(at, { name: `secret-${HARMLESS}`, dataType: 'password', material: text, description: HARMLESS })
  const blob = material('a blob').toString('base64')
  await made(at, { name: 'blob', dataType: 'blob', material: blob })
  await made(at, { name: 'seed', dataType: 'seed', material: material('a seed').toString('hex') })
  const version = password('the next password of a secret')
  expect((await ask('POST', `${at}/secret-${HARMLESS}/versions`, { body: { material: version } })).status).toBe(201)
  await refused(409, 'POST', at, { body: { name: 'blob', dataType: 'blob', material: blob } })
  await refused(422, 'POST', at, { body: { name: 'broken', dataType: 'seed', material: password('a seed in words') } })
  await refused(400, 'PATCH', `${at}/blob`, { body: { material: blob } })
  expect((await askForSecret('POST', `${at}/secret-${HARMLESS}/export`)).material).toBe(version)
  for (const shown of [at, `${at}/blob`, `${at}/secret-${HARMLESS}/versions`])
    expect((await ask('GET', shown)).status, shown).toBe(200)
  expect((await ask('POST', `${at}/seed/destroy`)).status).toBe(200)
}

/** Credentials of clouds: stored, changed, tested, and refused in several ways. */
async function plantConnections(): Promise<void> {
  const pair = (what: string) => ({ access_key_id: 'AKIAMARKED0000000001', secret_access_key: password(what) })
  const kept = pair('the secret of a connection')
  await made(CONNECTIONS, { name: 'marked', description: HARMLESS, ...kept })
  await refused(409, 'POST', CONNECTIONS, { body: { name: 'marked', ...kept } })
  await refused(422, 'POST', CONNECTIONS, { body: { name: 'region', ...kept, region: 'us-east-1' } })
  await refused(400, 'POST', CONNECTIONS, { body: { name: 'shoe', ...kept, shoe: kept.secret_access_key } })
  const test = await ask('POST', `${CONNECTIONS}/marked/test`, { body: {} })
  expect(test).toMatchObject({ status: 200, body: { connection_ok: false } })
  const override = { secret_access_key: password('a secret that is only tried') }
  expect((await ask('POST', `${CONNECTIONS}/marked/test`, { body: override })).status).toBe(200)
  const unsaved = pair('the secret of a connection that is not saved')
  const path = '/v1/connectionmgmt/services/cloud-a/connection-test'
  expect((await ask('POST', path, { body: unsaved })).status).toBe(200)
  const next = { secret_access_key: password('the changed secret of a connection') }
  expect((await ask('PATCH', `${CONNECTIONS}/marked`, { body: next })).status).toBe(200)
  await plantCertificates()
}

/** Keys of certificates for which a cloud grants a role. */
async function plantCertificates(): Promise<void> {
  const { cloudA } = service().deployment
  const { private_key: _, ...identity } = cloudA.anywhereIdentityOf('111122223333')
  const body = (what: string) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    material(what, Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url'))
    const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const certificate = cloudA.certify('111122223333', publicKey)
    return { is_role_anywhere: true, role_anywhere: { ...identity, certificate, private_key } }
  }
  const given = body('the key of a certificate')
  await made(CONNECTIONS, { name: 'certified', ...given })
  expect((await ask('POST', `${CONNECTIONS}/certified/test`, { body: {} })).body).toEqual({ connection_ok: true })
  const unfit = {
    ...given.role_anywhere,
    private_key: body('the key of another certificate').role_anywhere.private_key,
  }
  await refused(422, 'POST', CONNECTIONS, { body: { name: 'unfit', ...given, role_anywhere: unfit } })
  const text = { ...given.role_anywhere, private_key: password('what is no key') }
  await refused(422, 'PATCH', `${CONNECTIONS}/certified`, { body: { role_anywhere: text } })
  const next = body('the changed key of a certificate')
  expect((await ask('PATCH', `${CONNECTIONS}/certified`, { body: next })).status).toBe(200)
}

/** Tenants of the document suite: the secrets of their applications, also in refused requests. */
async function plantTenants(): Promise<void> {
  const tenants = '/v1/keymgr/docsuite/dke/auth-tenants'
  const id = '5f0c2b1e-6d1a-4b8e-9c37-0d2f4a6b8c1d'
  const kept = { name: 'tenant', tenant_id: id, client_id: id, client_secret: password('the secret of an application') }
  const { status, body } = await ask('POST', tenants, { body: kept })
  expect(status, JSON.stringify(body)).toBe(201)
  await refused(409, 'POST', tenants, { body: kept })
  await refused(422, 'POST', tenants, { body: { ...kept, tenant_id: kept.client_secret } })
  await refused(400, 'POST', tenants, { body: { ...kept, shoe: kept.client_secret } })
  const next = { client_secret: password('the changed secret of an application') }
  expect((await ask('PATCH', `${tenants}/${body.id as string}`, { body: next })).status).toBe(200)
  expect((await ask('GET', tenants)).status).toBe(200)
}

/** Key stores: their credentials, shown once each, and passwords of clusters, refused in several ways. */
async function plantKeyStores(): Promise<void> {
  const [account] = service().deployment.cloudA.accounts
  if (account === undefined) throw new Error('The simulated cloud has no account')
  const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = account.credentials
  await made(CONNECTIONS, { name: 'stores', access_key_id, secret_access_key })
  const where = { kms: 'stores', region: 'us-east-1' }
  const entry = { name: where.kms, account_id: account.id, connection: 'stores', regions: [where.region] }
  await made('/v1/keymgr/cloud-a/kms', entry)
  await made(KEYS, { name: 'health', algorithm: 'aes', size: 256 })
  const cloud_a_param = { xks_proxy_uri_endpoint: 'https://xks.keymgr.test' }
  const local_hosted_params = { health_check_key_id: 'health', max_credentials: 2 }
  const body = { name: `store-${HARMLESS}`, ...where, local_hosted_params, cloud_a_param }
  const rememberPair = (what: string, { secret_access_key: text }: { secret_access_key: string }): void => {
    secrets.push(textMarker(what, text), { what: `${what} (bytes)`, bytes: Buffer.from(text, 'base64') })
  }
  const store = await askForSecret('POST', STORES, { body, headers: { 'idempotency-key': 'marked-store' } })
  rememberPair('the first secret of a key store', store)
  const path = `${STORES}/${store.id}`
  rememberPair('the second secret of a key store', await askForSecret('POST', `${path}/rotate-credential`))
  expect((await ask('PATCH', path, { body: { enable_success_audit_event: true } })).status).toBe(200)
  for (const shown of [path, `${path}/credentials`, `${path}/health`, `${STORES}?limit=-1`])
    expect((await ask('GET', shown)).status, shown).toBe(200)

  const key_store_password = password('the password of a cluster')
  const hardware = {
    custom_key_store_type: 'CLOUD_A_HSM',
    cloud_hsm_cluster_id: 'cluster-2345672345a',
    trust_anchor_certificate: HARMLESS,
    key_store_password,
  }
  await refused(404, 'POST', STORES, { body: { name: 'modules', ...where, cloud_a_param: hardware } })
  const { cloud_hsm_cluster_id: _, ...without } = hardware
  await refused(422, 'POST', STORES, { body: { name: 'modules', ...where, cloud_a_param: without } })
  const wrongType = { ...hardware, key_store_password: [key_store_password] }
  await refused(400, 'POST', STORES, { body: { name: 'modules', ...where, cloud_a_param: wrongType } })
  await refused(422, 'PATCH', path, { body: { cloud_a_param: { key_store_password } } })
  await refused(409, 'POST', `${path}/connect`, { body: { key_store_password } })
}

/** A key file of a service account; every line of its private key is searched for. */
function keyFile(what: string): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const private_key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  for (const line of private_key.split('\n').filter((each) => each.length > 20 && !each.startsWith('-')))
    secrets.push(textMarker(what, line))
  const client_email = `${HARMLESS}@shop-keys.iam.gserviceaccount.com`
  return JSON.stringify({ type: 'service_account', client_email, private_key_id: 'planted', private_key })
}

async function plantKeyFiles(): Promise<void> {
  const connections = CONNECTIONS.replace('cloud-a', 'cloud-c')
  const key_file = keyFile('a key file')
  expect((await ask('POST', connections, { body: { name: 'account', key_file } })).status).toBe(201)
  expect((await ask('POST', `${connections}/account/test`)).body).toMatchObject({ connection_ok: false })
  const unsaved = await ask('POST', '/v1/connectionmgmt/services/cloud-c/connection-test', { body: { key_file } })
  expect(unsaved.body).toMatchObject({ connection_ok: false })
  expect((await ask('PATCH', `${connections}/account`, { body: { key_file: keyFile('another') } })).status).toBe(200)
  await refused(409, 'POST', connections, { body: { name: 'account', key_file } })
  await refused(422, 'POST', connections, { body: { name: 'broken', key_file: key_file.slice(1) } })
  await refused(400, 'POST', connections, { body: { name: 'broken', key_file: [key_file] } })
  expect((await ask('GET', `${connections}/account`)).status).toBe(200)
}

const records: Place[] = []
const events: Place[] = []
const logged: Place[] = []
let traceId = ''

beforeAll(async () => {
  token = await service().logIn()
  secrets.push(textMarker("the administrator's token", token.split('.')[2] ?? ''))
  secrets.push(textMarker("the administrator's password", 'Correct-Horse-7'))
  await plantPasswords()
  await plantMaterial()
  await plantExports()
  await plantSecrets()
  await plantRequests()
  await plantClients()
  await plantConnections()
  await plantKeyStores()
  await plantTenants()
  await plantKeyFiles()
  await plantCloudSecrets({
    ...{ ask, askForSecret, made, refused, password, harmless: HARMLESS },
    application: service().deployment.cloudB.credentials[0],
    remember: (what, text) => secrets.push(textMarker(what, text)),
  })
  await plantCloudDSecrets({
    ...{ made, refused, password, harmless: HARMLESS, source: 'raw-base64' },
    cloud: service().deployment.cloudD,
    remember: (what, text) => secrets.push(textMarker(what, text)),
  })
  await plantCrmSecrets({
    ...{ made, refused, password, harmless: HARMLESS, source: 'raw-base64' },
    cloud: service().deployment.crm,
    remember: (what, text) => secrets.push(textMarker(what, text)),
  })
  await plantDatacustSecrets({
    ...{ made, refused, password, harmless: HARMLESS, source: 'raw-base64' },
    cloud: service().deployment.datacust,
    remember: (what, text) => secrets.push(textMarker(what, text)),
  })
  await ask('POST', `${KEYS}/exported/revoke`, { body: { reason: 'KeyCompromise', message: HARMLESS } })
  for (const name of [
    `raw-${HARMLESS}`,
    'raw-base64',
    'pem',
    'pem_public',
    'kek',
    'unwrapped',
    'included',
    'exported',
  ]) {
    expect((await ask('GET', `${KEYS}/${name}`)).status, name).toBe(200)
    expect((await ask('GET', `${KEYS}/${name}/versions`)).status, name).toBe(200)
  }
  for (const list of [KEYS, USERS, TOKENS, CONNECTIONS, '/v1/usermgmt/groups', '/v1/domains', '/v1/auth/jwks.json'])
    expect((await ask('GET', list.endsWith('.json') ? list : `${list}?limit=-1`)).status, list).toBe(200)
  const audit = await service().call('GET', '/v1/audit/records?limit=-1', { token })
  for (const record of audit.body.resources as { id: string; message: string }[])
    records.push({ name: `the audit record of ${record.message}`, content: Buffer.from(JSON.stringify(record)) })
  traceId = (await ask('GET', '/v1/domain')).headers.get('x-request-id') ?? ''
  for (const trigger of ['drain-outbox', 'sweep-due', 'reseal-keys'] as const) await service().deployment.fire(trigger)
  for (const event of service().deployment.events())
    events.push({ name: `the event ${event['detail-type']}`, content: Buffer.from(JSON.stringify(event)) })
  await service().deployment.stop()
  for (const { source, text } of service().deployment.logs())
    logged.push({ name: `a log line of ${source}`, content: Buffer.from(text) })
})

test('no answer shows a secret, except the one that creates it', () => {
  expect(answers.length).toBeGreaterThan(40)
  expect(found([harmless], answers).length).toBeGreaterThan(3)
  expect(found(secrets, answers)).toEqual([])
})

test('no log line shows a secret', () => {
  expect(found([textMarker('the trace id', traceId)], logged)).not.toEqual([])
  expect(found(secrets, logged)).toEqual([])
})

test('no audit record shows a secret', () => {
  expect(records.length).toBeGreaterThan(20)
  expect(found([harmless], records)).not.toEqual([])
  expect(found(secrets, records)).toEqual([])
})

test('no event shows a secret', () => {
  expect(events.length).toBeGreaterThanOrEqual(records.length)
  expect(found([harmless], events)).not.toEqual([])
  expect(found(secrets, events)).toEqual([])
})

test('no file of the data directory has a secret in the clear', () => {
  const files = filesBelow(dataDir).filter(
    ({ name }) => !['cloud-b.jsonl', 'cloud-d.jsonl', 'crm.jsonl', 'datacust.jsonl'].includes(name),
  ) // the simulated vaults keep what they get
  const named = files.map(({ name }) => name)
  for (const file of ['table.db', 'keymgr.log', 'events.jsonl']) expect(named).toContain(file)
  expect(found([harmless], files)).toEqual(
    expect.arrayContaining(['the harmless marker in table.db', 'the harmless marker in events.jsonl']),
  )
  expect(found(secrets, files)).toEqual([])
})

test.each([
  ['as it is', (marker: string) => marker],
  ['in hex', (marker: string) => Buffer.from(marker).toString('hex')],
  ['in upper-case hex', (marker: string) => Buffer.from(marker).toString('hex').toUpperCase()],
  ['in base64', (marker: string) => Buffer.from(marker).toString('base64')],
  ['in base64 behind one byte', (marker: string) => Buffer.from(`a${marker}b`).toString('base64')],
  ['in base64 behind two bytes', (marker: string) => Buffer.from(`ab${marker}cd`).toString('base64')],
  ['in base64url', (marker: string) => Buffer.from(`{${marker}}`).toString('base64url')],
  ['as a list of bytes', (marker: string) => JSON.stringify(Buffer.from(marker))],
])('the search finds a marker %s', (_form, write) => {
  const place = { name: 'a place', content: Buffer.from(`before ${write(HARMLESS)} after`) }
  expect(found([harmless], [place])).toEqual(['the harmless marker in a place'])
  expect(found([textMarker('another', 'harmless-but-not-there')], [place])).toEqual([])
})
