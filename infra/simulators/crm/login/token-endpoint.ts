import { createHmac, createPublicKey } from 'node:crypto'
import { compactVerify, decodeJwt } from 'jose'
import type { HeldOrganization } from '../state/held.ts'
import type { CrmState } from '../state/state.ts'
import type { SlidingLimit } from '../wire/limits.ts'
import { LoginError } from '../wire/errors.ts'
import type { SimulatedApplication, SimulatedOrganization, SimulatedUser } from './directory.ts'
import type { Sessions } from './sessions.ts'

/** Dependencies of the token endpoint. */
export interface LoginHouse {
  readonly state: CrmState
  readonly organizations: readonly SimulatedOrganization[]
  readonly sessions: Sessions
  readonly logins: SlidingLimit
  readonly instanceOf: (organizationId: string) => string
  /** Address of the log-in host. */
  readonly endpoint: () => string
}

interface Place {
  readonly organization: SimulatedOrganization
  readonly held: HeldOrganization
}

interface Entered extends Place {
  readonly user: SimulatedUser
  readonly application: SimulatedApplication
}

type Form = URLSearchParams
type Flow = (house: LoginHouse, places: readonly Place[], form: Form) => Entered | Promise<Entered>

const ASSERTION_MS = 180_000
const AUDIENCES = { production: 'https://login.salesforce.com', sandbox: 'https://test.salesforce.com' } as const

const invalidGrant = (description: string) => new LoginError('invalid_grant', description)
const failed = () => invalidGrant('authentication failure')

const FLOWS: Readonly<Record<string, Flow>> = {
  'urn:ietf:params:oauth:grant-type:jwt-bearer': byAssertion,
  password: byPassword,
}

/**
 * Answers a request for a token.
 * @param own id of the organization whose own domain was called; default: the log-in host of all
 * @throws LoginError
 */
export async function logIn(house: LoginHouse, form: Form, own?: string): Promise<object> {
  const flow = FLOWS[form.get('grant_type') ?? '']
  if (flow === undefined) throw new LoginError('unsupported_grant_type', 'grant type not supported')
  const places = house.organizations.flatMap((organization): Place[] => {
    const held = house.state.organization(organization.id)
    return held === undefined || (own !== undefined && own !== held.id) ? [] : [{ organization, held }]
  })
  const entered = await flow(house, places, form)
  if (!entered.user.isActive) throw new LoginError('inactive_user', 'user is inactive')
  if (!house.logins.allows(entered.user.id)) throw invalidGrant('login rate exceeded')
  return tokenFor(house, entered, form)
}

function tokenFor({ state, sessions, instanceOf, endpoint }: LoginHouse, entered: Entered, form: Form): object {
  const { organization, user, application } = entered
  const id = `${endpoint()}/id/${organization.id}/${user.id}`
  const issued_at = String(state.now())
  const signature = createHmac('sha256', application.consumerSecret).update(`${id}${issued_at}`).digest('base64')
  return {
    access_token: sessions.begin(organization.id, user),
    instance_url: instanceOf(organization.id),
    id,
    token_type: 'Bearer',
    ...(form.get('grant_type') === 'password' ? { issued_at, signature } : { scope: 'api' }),
  }
}

/** An application and a user of the same organization; a user by an unknown name is undefined. */
function find(places: readonly Place[], consumerKey: string | null, username: string | undefined | null) {
  const isKnown = places.some(({ organization }) => applicationIn(organization, consumerKey) !== undefined)
  if (!isKnown) throw new LoginError('invalid_client_id', 'client identifier invalid')
  for (const place of places) {
    const application = applicationIn(place.organization, consumerKey)
    const user = place.organization.users.find((each) => each.username === username)
    if (application !== undefined && user !== undefined) return { ...place, application, user }
  }
  return undefined
}

const applicationIn = ({ applications }: SimulatedOrganization, consumerKey: string | null) =>
  applications.find((each) => each.consumerKey === consumerKey)

function byPassword(_house: LoginHouse, places: readonly Place[], form: Form): Entered {
  const entered = find(places, form.get('client_id'), form.get('username'))
  if (entered === undefined) throw failed()
  const { user, application, held } = entered
  if (form.get('client_secret') !== application.consumerSecret)
    throw new LoginError('invalid_client', 'invalid client credentials')
  const { allowsPasswordFlow, needsSecurityToken } = held.settings
  const wanted = [`${user.password}${user.securityToken}`, ...(needsSecurityToken ? [] : [user.password])]
  if (!allowsPasswordFlow || !wanted.includes(form.get('password') ?? '')) throw failed()
  return entered
}

async function byAssertion({ state }: LoginHouse, places: readonly Place[], form: Form): Promise<Entered> {
  const assertion = form.get('assertion') ?? ''
  const { iss, sub, aud, exp } = claimsIn(assertion)
  const entered = find(places, iss ?? null, sub)
  const key = createPublicKey(await state.applicationKey(iss ?? ''))
  await compactVerify(assertion, key, { algorithms: ['RS256'] }).catch(() => {
    throw invalidGrant('invalid assertion')
  })
  const untilMs = (exp ?? 0) * 1_000 - state.now()
  if (untilMs <= 0 || untilMs > ASSERTION_MS) throw invalidGrant('invalid assertion')
  if (entered === undefined) throw invalidGrant('user does not exist or is not part of this organization')
  if (aud !== AUDIENCES[entered.held.isSandbox ? 'sandbox' : 'production']) throw invalidGrant('audience is invalid')
  if (!entered.application.approvedFor.includes(entered.user.username))
    throw invalidGrant("user hasn't approved this consumer")
  return entered
}

function claimsIn(assertion: string) {
  try {
    return decodeJwt(assertion)
  } catch {
    throw invalidGrant('invalid assertion')
  }
}
