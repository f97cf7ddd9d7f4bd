import { constants, createHash, createPrivateKey, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto'
import { SignJWT } from 'jose'
import type { CrmSimulator } from '../../../../infra/simulators/crm/simulator.ts'

export interface Reply {
  readonly status: number
  /** the first error code of a refusal, `OK` for a success */
  readonly code: string
  readonly body: any // `any`: differs by operation
  readonly text: string
  readonly headers: Headers
}

const TOKEN = '/services/oauth2/token'

async function replyOf(answer: Response): Promise<Reply> {
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  const body: any = isJson ? JSON.parse(text) : undefined
  const code = answer.ok ? 'OK' : (body?.[0]?.errorCode ?? body?.error ?? 'no code')
  return { status: answer.status, code, body, text, headers: answer.headers }
}

/** Asks a log-in host for a token. */
export const ask = async (host: string, form: Record<string, string>): Promise<Reply> =>
  replyOf(await fetch(`${host}${TOKEN}`, { method: 'POST', body: new URLSearchParams(form) }))

/** The form of a log-in with the password of a user, by default of the first one. */
export const passwordForm = ({ credentials: [user] }: CrmSimulator, change: Record<string, string> = {}) => ({
  ...{ grant_type: 'password', client_id: user.clientId, client_secret: user.clientSecret },
  ...{ username: user.username, password: user.password, ...change },
})

interface Claims {
  readonly iss?: string
  readonly sub?: string
  readonly aud?: string
  readonly exp?: number
}

/** The form of a log-in with an assertion. @param at seconds @param alg of the signature */
export async function assertionForm(
  { credentials: [user] }: CrmSimulator,
  at: number,
  claims: Claims = {},
  key = createPrivateKey(user.privateKey),
  alg = 'RS256',
) {
  const usual = { iss: user.clientId, sub: user.username, aud: 'https://login.salesforce.com', exp: at + 180 }
  const assertion = await new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg }).sign(key)
  return { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
}

/** A session of a user, by default of the first one. */
export interface Session {
  readonly token: string
  readonly instance: string
}

export async function session(simulator: CrmSimulator, username?: string): Promise<Session> {
  const owner = simulator.organizations.find(({ users }) => users.some((each) => each.username === username))
  const { id } = owner ?? simulator.organizations[0] ?? { id: '' }
  const user = simulator.organizations.flatMap(({ users }) => users).find((each) => each.username === username)
  const { clientId: client_id, clientSecret: client_secret } =
    simulator.credentials.find(({ organizationId }) => organizationId === id) ?? simulator.credentials[0]
  const change = user && { username: user.username, password: `${user.password}${user.securityToken}` }
  const before = simulator.settingsOf(id)
  simulator.changeSettings(id, { allowsPasswordFlow: true })
  const { body } = await ask(simulator.endpoint, passwordForm(simulator, { ...change, client_id, client_secret }))
  simulator.changeSettings(id, before)
  return { token: body.access_token, instance: body.instance_url }
}

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly version?: number
}

/** Sends a request to the REST API. @param path below the version, or a whole path */
export async function send({ token, instance }: Session, path: string, asked: Asked = {}): Promise<Reply> {
  const { method = 'GET', version = 60, body } = asked
  const whole = path.startsWith('/services/') ? path : `/services/data/v${version}.0${path}`
  return replyOf(
    await fetch(`${instance}${whole}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...asked.headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
}

export const query = (to: Session, soql: string, asked: Asked = {}, api: '' | '/tooling' = '') =>
  send(to, `${api}/query/?q=${encodeURIComponent(soql)}`, asked)

export const create = (to: Session, body: object, version = 60) =>
  send(to, '/sobjects/TenantSecret', { method: 'POST', body, version })

export const update = (to: Session, id: string, body: object) =>
  send(to, `/sobjects/TenantSecret/${id}`, { method: 'PATCH', body })

export const read = async (to: Session, id: string): Promise<any> =>
  // `any`: a record
  (await send(to, `/sobjects/TenantSecret/${id}`)).body

/** The fields of an upload, wrapped with a certificate of the organization. */
export async function wrapped(
  simulator: CrmSimulator,
  organizationId: string,
  { material = randomBytes(32), oaepHash = 'sha512', certificate = 'keymgr_wrapping' } = {},
) {
  const key = new X509Certificate(await simulator.pemOf(organizationId, certificate)).publicKey
  const value = publicEncrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, material)
  return {
    ...{ Source: 'UPLOADED', SecretValue: value.toString('base64'), SecretValueCertificate: certificate },
    SecretValueHash: createHash('sha256').update(material).digest('base64'),
  }
}

/** Sends an envelope to the Metadata API. */
export async function soap({ token, instance }: Session, body: string): Promise<{ status: number; text: string }> {
  const envelope = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:m="http://soap.sforce.com/2006/04/metadata" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Header><m:SessionHeader><m:sessionId>${token}</m:sessionId></m:SessionHeader></s:Header><s:Body>${body}</s:Body></s:Envelope>`
  const answer = await fetch(`${instance}/services/Soap/m/60.0`, {
    method: 'POST',
    headers: { 'content-type': 'text/xml; charset=UTF-8', soapaction: '""' },
    body: envelope,
  })
  return { status: answer.status, text: await answer.text() }
}
