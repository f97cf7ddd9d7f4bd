import { controls, type Controls } from '../toolkit/controls.ts'
import { serveHttp, type Served } from '../toolkit/loopback.ts'
import { openOutbound } from '../toolkit/outbound.ts'
import { createRequestLog } from '../toolkit/request-log.ts'
import type { Simulator, SimulatorSetting } from '../toolkit/simulator.ts'
import { backstage, type Backstage } from './backstage.ts'
import type { SimulatedApplication, SimulatedOrganization, SimulatedUser } from './login/directory.ts'
import { createSessions } from './login/sessions.ts'
import { createCursors } from './query/cursors.ts'
import { createFetches } from './remote/fetches.ts'
import type { Intervals } from './secrets/rules.ts'
import { DAY_MS, HOUR_MS } from './state/held.ts'
import { plant, STANDARD_SEED, type CrmSeed } from './state/seed.ts'
import { openState, type CrmState } from './state/state.ts'
import { createFaults, type CrmCall, type CrmFault } from './wire/faults.ts'
import { answerInstance, answerLogin, type House } from './wire/front-door.ts'
import { createSlidingLimit } from './wire/limits.ts'

export type { SimulatedCertificateView, SimulatedSecretView } from './backstage.ts'
export type { CertificateWish } from './certificates/certificates.ts'
export { SHOP, SHOP_SANDBOX, type SimulatedOrganization, type SimulatedUser } from './login/directory.ts'
export type { FetchOutcome } from './remote/refresh.ts'
export type { CalloutLogin, Settings } from './state/held.ts'
export type { CrmSeed, CrmSeedCredential, CrmSeedSecret } from './state/seed.ts'
export type { CrmCall, CrmFault } from './wire/faults.ts'

/** An application and a user of an organization, as a connection needs them. */
export interface CrmCredentials {
  readonly organizationId: string
  readonly isSandbox: boolean
  readonly username: string
  /** followed by the security token */
  readonly password: string
  readonly clientId: string
  readonly clientSecret: string
  /** Signs the application's assertions: PKCS #8 in PEM. */
  readonly privateKey: string
}

/**
 * A platform with several organizations. `endpoint` is the log-in host of both editions; every organization has an
 * address of its own, which log-ins answer.
 */
export interface CrmSimulator extends Backstage, Controls<CrmFault, CrmCall>, Simulator {
  readonly organizations: readonly SimulatedOrganization[]
  /** Valid log-ins. The user of the first one may do everything in its organization. */
  readonly credentials: readonly [CrmCredentials, ...CrmCredentials[]]
  /** The own address of an organization. */
  readonly instanceOf: (organizationId: string) => string
  /** Ends all sessions of an organization: its tokens are refused from now on. */
  readonly endSessions: (organizationId: string) => void
  /** Requests of an organization in 24 hours; initially 100,000. */
  readonly setDailyLimit: (requests: number) => void
  /** Log-ins of a user in an hour; initially 3,600. */
  readonly setLoginLimit: (logins: number) => void
  /** Least times between two secrets of a type. Initially real. */
  readonly setIntervals: (intervals: Intervals) => void
}

async function credentialsOf(
  state: CrmState,
  { id: organizationId, isSandbox }: SimulatedOrganization,
  { consumerKey, consumerSecret }: SimulatedApplication,
  { username, password, securityToken }: SimulatedUser,
): Promise<CrmCredentials> {
  const key = await state.applicationKey(consumerKey)
  return {
    ...{ organizationId, isSandbox, username, password: `${password}${securityToken}` },
    ...{ clientId: consumerKey, clientSecret: consumerSecret },
    privateKey: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  }
}

/** The first user of each organization, with its applications. */
const allCredentials = (state: CrmState, organizations: readonly SimulatedOrganization[]) =>
  Promise.all(
    organizations.flatMap((organization) =>
      organization.applications.flatMap((application) =>
        organization.users.slice(0, 1).map((user) => credentialsOf(state, organization, application, user)),
      ),
    ),
  )

/**
 * Starts the simulated platform on loopback.
 * @param options.file stores the state, with key material; default: in memory only
 * @param options.port of the log-in host; default: any free one
 * @param options.resolve resolves hosts of named credentials; default: only loopback is reachable
 * @param options.seed initial state; default: `STANDARD_SEED`
 */
export async function startCrm(
  options: Pick<SimulatorSetting, 'clock' | 'file'> &
    Partial<Pick<SimulatorSetting, 'resolve'>> & { port?: number; seed?: CrmSeed },
): Promise<CrmSimulator> {
  const { seed = STANDARD_SEED } = options
  const { organizations } = seed
  const state = openState(options)
  plant(state, seed)
  const outbound = openOutbound(options.resolve ?? (() => undefined))
  const [faults, log] = [createFaults(), createRequestLog<CrmCall>()]
  const instances = new Map<string, Served>()
  const instanceOf = (id: string): string => instances.get(id)?.endpoint ?? ''
  let intervals: Intervals = 'real'
  const house: House = {
    ...{ state, organizations, faults, log, instanceOf },
    sessions: createSessions(state.now),
    cursors: createCursors(),
    fetches: createFetches({ state, outbound, faults, log }),
    logins: createSlidingLimit(state.now, { most: 3_600, periodMs: HOUR_MS }),
    requests: createSlidingLimit(state.now, { most: 100_000, periodMs: DAY_MS }),
    intervals: () => intervals,
    endpoint: () => host.endpoint,
  }
  for (const organization of state.organizations())
    instances.set(organization.id, await serveHttp((request) => answerInstance(house, organization, request)))
  const host = await serveHttp((request) => answerLogin(house, request), { port: options.port })
  const [first, ...others] = await allCredentials(state, organizations)
  if (first === undefined) throw new Error('A simulated platform needs a user.')
  return {
    ...{ endpoint: host.endpoint, organizations, credentials: [first, ...others], instanceOf },
    ...controls(house),
    ...backstage(house),
    endSessions: house.sessions.end,
    setDailyLimit: house.requests.set,
    setLoginLimit: house.logins.set,
    setIntervals: (wanted) => {
      intervals = wanted
    },
    stop: async () => {
      await Promise.all([host, ...instances.values()].map(({ stop }) => stop()))
      outbound.close()
      state.close()
    },
  }
}
