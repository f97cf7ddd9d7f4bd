import { createPublicKey } from 'node:crypto'
import { compactVerify, SignJWT } from 'jose'
import { fieldsOf } from '../../toolkit/json-body.ts'
import type { Arrived } from '../wire/arrived.ts'
import type { CloudState } from '../state/state.ts'
import type { Caller } from './caller.ts'

const LIFE_SECONDS = 3_600
/** Name of the key that signs tokens. */
export const LOGIN_KEY = 'login'

/** Audiences of tokens for each service. Challenges name the first one. */
export const AUDIENCES = {
  vault: ['https://vault.azure.net'],
  hsm: ['https://managedhsm.azure.net'],
  management: ['https://management.azure.com', 'https://management.core.windows.net'],
  logs: ['https://api.loganalytics.io', 'https://api.loganalytics.azure.com'],
} as const satisfies Record<string, readonly [string, ...string[]]>
export type Service = keyof typeof AUDIENCES

/** Audience of a scope `<resource>/.default`; `undefined` for an unknown service. */
export function audienceOf(scope: string): string | undefined {
  const resource = scope.replace(/\/\.default$/, '').replace(/\/+$/, '')
  return Object.values(AUDIENCES)
    .flat()
    .find((audience) => audience === resource)
}

export const issuerOf = (tenant: string): string => `https://sts.windows.net/${tenant}/`

export interface Issued {
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly ext_expires_in: number
  readonly access_token: string
}

/** A token that is valid for an hour of the simulator's clock. */
export async function issue(state: CloudState, caller: Caller): Promise<Issued> {
  const iat = Math.floor(state.now() / 1000)
  const { objectId: oid, tenant: tid, clientId: appid, upn, audience, claims } = caller
  const access_token = await new SignJWT({
    ...{ oid, sub: oid, tid, ver: '1.0' },
    ...(appid !== undefined && { appid, idtyp: 'app' }),
    ...(upn !== undefined && { upn }),
    ...(claims !== undefined && { claims }),
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'simulated' })
    .setIssuer(issuerOf(tid))
    .setAudience(audience)
    .setIssuedAt(iat)
    .setNotBefore(iat)
    .setExpirationTime(iat + LIFE_SECONDS)
    .sign(await state.ownKey(LOGIN_KEY))
  return { token_type: 'Bearer', expires_in: LIFE_SECONDS - 1, ext_expires_in: LIFE_SECONDS - 1, access_token }
}

/** Why a token is refused. */
export type TokenFault = 'missing' | 'broken' | 'expired' | 'audience'

/** The caller of a request, according to its token. Tokens for another service are refused. */
export async function callerOf(
  state: CloudState,
  { headers, isExpired }: Arrived,
  service: Service,
): Promise<Caller | TokenFault> {
  const [, token] = /^Bearer (\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (token === undefined) return 'missing'
  if (isExpired) return 'expired'
  try {
    const key = createPublicKey(await state.ownKey(LOGIN_KEY))
    const { payload } = await compactVerify(token, key, { algorithms: ['RS256'] })
    const claims = fieldsOf(JSON.parse(Buffer.from(payload).toString('utf8')))
    if (Number(claims.exp) * 1000 <= state.now()) return 'expired'
    const audience = String(claims.aud)
    if (!AUDIENCES[service].some((each) => each === audience)) return 'audience'
    return callerIn(claims, audience)
  } catch {
    return 'broken'
  }
}

function callerIn(claims: Readonly<Record<string, unknown>>, audience: string): Caller {
  const text = (name: string) => (typeof claims[name] === 'string' ? claims[name] : undefined)
  const [clientId, upn, asked] = [text('appid'), text('upn'), text('claims')]
  return {
    ...{ objectId: text('oid') ?? '', tenant: text('tid') ?? '', audience },
    ...(clientId !== undefined && { clientId }),
    ...(upn !== undefined && { upn }),
    ...(asked !== undefined && { claims: asked }),
  }
}
