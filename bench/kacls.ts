import {
  createCipheriv,
  createPublicKey,
  createSecretKey,
  randomBytes,
  randomUUID,
  verify,
  type KeyObject,
} from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { startDeployment, type Deployment } from '../infra/local/deployment.ts'
import { compileDecision } from '../shared/rego/index.ts'
import { administratorToken, eventOf, post, rateAgainst } from './data-plane.ts'
import type { Figure } from './figure.ts'
import { compare, versus } from './rounds.ts'
import { scaled } from './scale.ts'
import { BUNDLES, PASSWORD, UNTHROTTLED } from './service.ts'

const HOST = 'kacls.example.test'
const USER = 'ada@shop.example.test'
const AUDIENCE = 'bench'
const CALLS = scaled(1_000, 100)
const CALLS_A_TURN = 50
/** More tokens than an instance caches, so that every token is verified, as for a new document. */
const DISTINCT = scaled(1_500, 1_100)

/** Builds requests that wrap keys of documents at a new endpoint, each with its own tokens. */
export async function seedWraps(deployment: Deployment): Promise<() => Promise<APIGatewayProxyEventV2>> {
  const { workspace: suite, clock } = deployment
  const administrator = await administratorToken(deployment)
  const at = '/v1/keymgr/WorkspaceCSE'
  const name = `bench-${randomUUID()}`
  const provider = { name, openidConfigurationURL: suite.openidConfigurationUrl }
  const issuer = await post(deployment, `${at}/issuers`, provider, administrator)
  const body = { name, endpoint_url_hostname: HOST, issuer: [issuer.id], authenticationAud: [AUDIENCE] }
  const { endpoint_url: url } = await post(deployment, `${at}/endpoints`, body, administrator)
  const { pathname } = new URL(url as string)
  const route = pathname.replace(/[^/]+$/, '{id}/wrap')
  let made = 0
  return async () => {
    const jti = ++made
    const resource_name = `//googleapis.com/drive/files/${jti}`
    const authorization = suite.authorizationOf({
      issuer: 'drive',
      claims: { kacls_url: url, email: USER, resource_name },
    })
    const authentication = suite.authenticationOf(USER, { audience: AUDIENCE, claims: { jti } })
    const fields = {
      authentication: await authentication,
      authorization: await authorization,
      key: randomBytes(32).toString('base64'),
      reason: 'bench',
    }
    return eventOf({ host: HOST, route: `ANY ${route}`, path: `${pathname}/wrap`, now: clock.now() }, fields)
  }
}

/** The only key that a key set publishes. */
async function publishedAt(address: string): Promise<KeyObject> {
  const { keys } = (await (await fetch(address)).json()) as { keys: [{ n: string; e: string }] }
  return createPublicKey({ key: { kty: 'RSA', n: keys[0].n, e: keys[0].e }, format: 'jwk' })
}

/**
 * The minimum of a wrap: the parsed body, the signatures of two tokens, AES-256-GCM, the answer. No endpoint, claims,
 * perimeter, states, counter in a table or log.
 */
function bareWrap(issuers: readonly [authentication: KeyObject, authorization: KeyObject]) {
  const key = createSecretKey(randomBytes(32))
  const aad = randomBytes(60)
  let uses = 0n
  const claimsOf = (token: string, issuer: KeyObject): Record<string, unknown> => {
    const [head = '', claims = '', signature = ''] = token.split('.')
    if (!verify('sha256', Buffer.from(`${head}.${claims}`), issuer, Buffer.from(signature, 'base64url')))
      throw new Error('The token is wrong')
    return JSON.parse(Buffer.from(claims, 'base64url').toString())
  }
  return ({ body = '' }: APIGatewayProxyEventV2): string => {
    const fields = JSON.parse(body)
    const { email } = claimsOf(fields.authentication as string, issuers[0])
    const { email: authorized, resource_name: name } = claimsOf(fields.authorization as string, issuers[1])
    if (email !== authorized) throw new Error('The tokens are of two people')
    const iv = Buffer.alloc(12)
    iv.writeBigUInt64BE(uses++, 4)
    const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(aad)
    const ciphertext = cipher.update(
      Buffer.concat([Buffer.from(fields.key as string, 'base64'), Buffer.from(String(name))]),
    )
    cipher.final()
    const blob = Buffer.concat([Buffer.of(1, 1, 0, 0, 0, 0), iv, ciphertext, cipher.getAuthTag()])
    return JSON.stringify({ wrapped_key: blob.toString('base64') })
  }
}

/** A perimeter of ten lines. */
const PERIMETER = `package shop
default allow := false
blocked := {"mallory@shop.example.test", "eve@shop.example.test"}
allow if {
	lower(input.authentication.email) == lower(input.authorization.email)
	endswith(lower(input.authentication.email), "@shop.example.test")
	not lower(input.authentication.email) in blocked
}
allow if input.perimeter_id == "takeout"
allow if input.operation == "privilegedwrap"
`

interface Input {
  readonly operation?: string
  readonly perimeter_id?: string
  readonly authentication?: { readonly email?: string }
  readonly authorization?: { readonly email?: string }
}

const BLOCKED = new Set(['mallory@shop.example.test', 'eve@shop.example.test'])

/** The same decision, implemented in TypeScript. */
function decided({ operation, perimeter_id, authentication, authorization }: Input): boolean {
  if (perimeter_id === 'takeout' || operation === 'privilegedwrap') return true
  const [email, authorized] = [authentication?.email?.toLowerCase(), authorization?.email?.toLowerCase()]
  return email !== undefined && email === authorized && email.endsWith('@shop.example.test') && !BLOCKED.has(email)
}

const of = (email: string): Input => ({
  operation: 'unwrap',
  perimeter_id: '',
  authentication: { email },
  authorization: { email: email.toLowerCase() },
})
/** Users who open documents: two are allowed, and one is blocked. */
const INPUTS = [of('Ada@shop.example.test'), of('eve@shop.example.test'), of('bob@shop.example.test')]

const repeated = (decide: (input: Input) => boolean) => ({
  run: (calls: number) => {
    let allowed = 0
    for (let at = 0; at < calls; at++) for (const input of INPUTS) if (decide(input)) allowed++
    if (allowed !== 2 * calls) throw new Error('the two decide differently')
  },
})

async function perimeterFigure(): Promise<Figure> {
  const policy = await compileDecision(PERIMETER, 'v1')
  const options = { now: 0n, seed: '' }
  const ours = repeated((input) => policy.decide({ ...input }, options).allowed)
  const outcome = await compare({ ours, bare: repeated(decided), rounds: 21, turns: 4, calls: 2_000, warmUp: 10 })
  const note = versus({ oursMs: outcome.oursMs / INPUTS.length, bareMs: outcome.bareMs / INPUTS.length })
  return { name: 'perimeter decision: time / TypeScript', measured: outcome.ratio, promise: { atMost: 25 }, note }
}

/** A warm wrap through the whole bundle, from event to answer, against two token checks and the cryptography alone. */
export async function measure(): Promise<Figure[]> {
  const environment = { ...UNTHROTTLED, KEYMGR_KACLS_CALLS_PER_SECOND: '1000000000' }
  const deployment = await startDeployment({ bundles: BUNDLES, inMemory: true, adminPassword: PASSWORD, environment })
  try {
    const wrap = await seedWraps(deployment)
    const events: [APIGatewayProxyEventV2, ...APIGatewayProxyEventV2[]] = [await wrap()]
    while (events.length < DISTINCT) events.push(await wrap())
    const { workspace: suite } = deployment
    const issuers = [
      await publishedAt(`${suite.idpIssuer}/jwks`),
      await publishedAt(`${suite.keySets}/gsuitecse-tokenissuer-drive@system.gserviceaccount.com`),
    ] as const
    const { ratio, note } = await rateAgainst(bareWrap(issuers), {
      environment: deployment.environmentOf('kacls'),
      function: 'kacls',
      events,
      calls: CALLS,
      callsATurn: CALLS_A_TURN,
    })
    return [
      { name: 'kacls wrap: rate / bare', measured: ratio, promise: { atLeast: 0.5 }, note },
      await perimeterFigure(),
    ]
  } finally {
    await deployment.stop()
  }
}
