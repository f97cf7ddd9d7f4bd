import { seededOcid } from './ocids.ts'

/** Access levels of a user, each including the previous ones. */
export const LEVELS = ['inspect', 'read', 'use', 'manage'] as const
export type Level = (typeof LEVELS)[number]

/** A statement of a policy: a level in a compartment and all compartments below it. */
export interface Right {
  readonly level: Level
  readonly compartmentId: string
}

export interface SimulatedUser {
  readonly id: string
  readonly name: string
  readonly rights: readonly Right[]
}

export interface SimulatedCompartment {
  readonly id: string
  readonly name: string
  readonly parentId: string
  readonly state: 'CREATING' | 'ACTIVE' | 'INACTIVE' | 'DELETING' | 'DELETED'
}

export interface SimulatedBucket {
  readonly name: string
  readonly region: string
  readonly compartmentId: string
}

/** A namespace of defined tags. */
export interface SimulatedTagNamespace {
  readonly id: string
  readonly name: string
  readonly compartmentId: string
  readonly keys: readonly string[]
}

/** A client of an identity domain, with a secret. */
export interface SimulatedApplication {
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
}

export interface SimulatedTenancy {
  readonly id: string
  readonly name: string
  /** Namespace of its buckets. */
  readonly namespace: string
  readonly homeRegion: string
  readonly regions: Readonly<Record<string, 'READY' | 'IN_PROGRESS'>>
  /** Compartments without the root, whose id is the tenancy's. */
  readonly compartments: readonly SimulatedCompartment[]
  readonly users: readonly SimulatedUser[]
  readonly buckets: readonly SimulatedBucket[]
  readonly tagNamespaces: readonly SimulatedTagNamespace[]
  /** Clients of its identity domain. */
  readonly applications: readonly SimulatedApplication[]
  /** Ids of private endpoints, through which external vaults are reached. */
  readonly privateEndpoints: readonly string[]
}

/** Creation time of the initial state. */
export const SEEDED_AT = Date.UTC(2025, 0, 1)

/** Regions of the cloud, with their keys. */
export const REGIONS: Readonly<Record<string, string>> = {
  'ap-tokyo-1': 'NRT',
  'eu-frankfurt-1': 'FRA',
  'eu-zurich-1': 'ZRH',
  'us-ashburn-1': 'IAD',
}

const userNamed = (name: string, rights: readonly Right[]): SimulatedUser => ({
  id: seededOcid('user', name),
  name,
  rights,
})

const applicationNamed = (name: string): SimulatedApplication => ({
  name,
  clientId: seededOcid('client', name).slice(-32),
  clientSecret: `simulated-${name}-secret`,
})

export const SHOP = seededOcid('tenancy', 'shop')
export const BANK = seededOcid('tenancy', 'bank')
/** Compartments of the shop by name; `invoices` is in `orders`. */
export const SHOP_COMPARTMENTS = {
  orders: seededOcid('compartment', 'orders'),
  invoices: seededOcid('compartment', 'invoices'),
  archive: seededOcid('compartment', 'archive'),
} as const

const { orders, invoices, archive } = SHOP_COMPARTMENTS

/** Nothing here is secret: the simulator listens on loopback and has test keys. */
export const STANDARD_TENANCIES: readonly SimulatedTenancy[] = [
  {
    id: SHOP,
    name: 'shop',
    namespace: 'shopkeys',
    homeRegion: 'eu-frankfurt-1',
    regions: { 'eu-frankfurt-1': 'READY', 'us-ashburn-1': 'READY', 'ap-tokyo-1': 'IN_PROGRESS' },
    compartments: [
      { id: orders, name: 'orders', parentId: SHOP, state: 'ACTIVE' },
      { id: invoices, name: 'invoices', parentId: orders, state: 'ACTIVE' },
      { id: archive, name: 'archive', parentId: SHOP, state: 'INACTIVE' },
    ],
    users: [
      userNamed('keymgr@shop.example', [{ level: 'manage', compartmentId: SHOP }]),
      userNamed('visitor@shop.example', [{ level: 'read', compartmentId: invoices }]),
    ],
    buckets: [
      { name: 'key-backups', region: 'eu-frankfurt-1', compartmentId: orders },
      { name: 'pictures', region: 'us-ashburn-1', compartmentId: orders },
    ],
    tagNamespaces: [
      {
        id: seededOcid('tagnamespace', 'operations'),
        name: 'operations',
        compartmentId: SHOP,
        keys: ['cost-centre', 'owner'],
      },
    ],
    applications: [applicationNamed('key-set-reader'), applicationNamed('external-vaults')],
    privateEndpoints: [seededOcid('ekmsprivateendpoint', 'shop', 'eu-frankfurt-1')],
  },
  {
    id: BANK,
    name: 'bank',
    namespace: 'bankkeys',
    homeRegion: 'us-ashburn-1',
    regions: { 'us-ashburn-1': 'READY' },
    compartments: [],
    users: [userNamed('keymgr@bank.example', [{ level: 'manage', compartmentId: BANK }])],
    buckets: [],
    tagNamespaces: [],
    applications: [applicationNamed('bank-vaults')],
    privateEndpoints: [],
  },
]

export interface Directory {
  readonly tenancies: readonly SimulatedTenancy[]
  readonly tenancy: (id: string) => SimulatedTenancy | undefined
  /** The compartment, the root included, with its tenancy. */
  readonly compartment: (id: string) => FoundCompartment | undefined
  /** Whether a user has this access level in a compartment. */
  readonly allows: (user: SimulatedUser, level: Level, compartmentId: string) => boolean
}

export interface FoundCompartment extends SimulatedCompartment {
  readonly tenancyId: string
}

export function createDirectory(tenancies: readonly SimulatedTenancy[]): Directory {
  const found = new Map<string, FoundCompartment>()
  for (const { id, name, compartments } of tenancies) {
    found.set(id, { id, name, parentId: '', state: 'ACTIVE', tenancyId: id })
    for (const each of compartments) found.set(each.id, { ...each, tenancyId: id })
  }
  const isWithin = (id: string, outer: string): boolean => {
    const parentId = found.get(id)?.parentId ?? ''
    return id === outer || (parentId !== '' && isWithin(parentId, outer))
  }
  return {
    tenancies,
    tenancy: (id) => tenancies.find((tenancy) => tenancy.id === id),
    compartment: (id) => found.get(id),
    allows: ({ rights }, level, compartmentId) =>
      rights.some(
        (right) => LEVELS.indexOf(right.level) >= LEVELS.indexOf(level) && isWithin(compartmentId, right.compartmentId),
      ),
  }
}
