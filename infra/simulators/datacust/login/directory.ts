import { createHash } from 'node:crypto'

/** A user for programs. */
export interface SimulatedTechnicalUser {
  readonly apiKey: string
  /** Valid for one activation only. */
  readonly initialSecret: string
  readonly name: string
  /** The only group that the user sees; default: all of its tenant. */
  readonly groupId?: string
}

/** A person. */
export interface SimulatedPerson {
  readonly username: string
  readonly password: string
}

/** Application types of groups, and the roles of their keys. */
export interface ApplicationType {
  readonly type: string
  /** The role that replaces `MASTER_KEY`, by key type; `MASTER_KEY` is refused for others. */
  readonly masterRoles: Readonly<Record<string, string>>
  readonly roles: readonly string[]
}

export interface SimulatedGroup {
  readonly id: string
  readonly name: string
  readonly description: string
  /** `ESK` is the platform's own key store, `CUSTOMER_HELD` one of the customer. */
  readonly provider: string
  readonly region: string
  readonly application: ApplicationType
  /** Names of the applications that use its keys. */
  readonly applications: readonly string[]
}

export interface SimulatedTenant {
  readonly id: string
  readonly name: string
  /** Its people log in at another identity service, so password log-in here is refused. */
  readonly usesIdentityService: boolean
  readonly technicalUsers: readonly SimulatedTechnicalUser[]
  readonly people: readonly SimulatedPerson[]
  readonly groups: readonly SimulatedGroup[]
}

/** Id of a seeded thing, the same at every start. */
export function seededId(text: string): string {
  const hex = createHash('sha256').update(`datacust ${text}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

const ANALYTICS: ApplicationType = {
  type: 'ANALYTICS',
  masterRoles: { AES: 'SAC_MASTER_KEY', RSA: 'SAC_MASTER_KEY' },
  roles: ['SAC_MASTER_KEY', 'UNSPECIFIED'],
}
const DATABASE: ApplicationType = { type: 'DATABASE', masterRoles: {}, roles: ['UNSPECIFIED', 'DATA_KEY'] }

const group = (tenant: string, name: string, more: Partial<SimulatedGroup> = {}): SimulatedGroup => ({
  id: seededId(`group ${tenant} ${name}`),
  name,
  description: `Keys of ${name}`,
  provider: 'ESK',
  region: 'eu-central-1',
  application: ANALYTICS,
  applications: [`${name} in production`],
  ...more,
})

const technicalUser = (tenant: string, name: string, groupId?: string): SimulatedTechnicalUser => ({
  apiKey: seededId(`api key ${tenant} ${name}`),
  initialSecret: `initial-secret-of-${name}@${tenant}`,
  name,
  ...(groupId !== undefined && { groupId }),
})

const SHOP_GROUPS = [
  group('shop', 'analytics'),
  group('shop', 'finance', { application: DATABASE }),
  group('shop', 'outpost', { provider: 'AWS', application: DATABASE }),
  group('shop', 'harbour', { provider: 'AZURE' }),
  group('shop', 'vaulted', { provider: 'CUSTOMER_HELD', application: DATABASE }),
]

/** Tenants: one with a group for each provider, and one whose people log in elsewhere. */
export const STANDARD_TENANTS: readonly SimulatedTenant[] = [
  {
    ...{ id: seededId('tenant shop'), name: 'shop', usesIdentityService: false, groups: SHOP_GROUPS },
    technicalUsers: [
      ...['keymgr', 'keymgr-2', 'keymgr-3', 'keymgr-4', 'keymgr-5'].map((name) => technicalUser('shop', name)),
      technicalUser('shop', 'finance-only', seededId('group shop finance')),
      technicalUser('shop', 'nothing', seededId('group shop none')),
    ],
    people: [{ username: 'ada@shop.example.test', password: 'password of ada' }],
  },
  {
    ...{ id: seededId('tenant bank'), name: 'bank', usesIdentityService: true, groups: [group('bank', 'ledger')] },
    technicalUsers: [technicalUser('bank', 'keymgr')],
    people: [{ username: 'eve@bank.example.test', password: 'password of eve' }],
  },
]
