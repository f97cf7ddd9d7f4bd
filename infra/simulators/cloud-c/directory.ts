import { grants } from './roles.ts'
import type { Binding } from './held.ts'

/** The cloud's resources other than keys. */
export interface SimulatedOrganization {
  /** `organizations/<digits>` */
  readonly name: string
  readonly displayName: string
  readonly bindings: readonly Binding[]
}

export interface SimulatedFolder {
  /** `folders/<digits>` */
  readonly name: string
  /** `organizations/<digits>` or `folders/<digits>` */
  readonly parent: string
}

export interface SimulatedProject {
  readonly id: string
  readonly number: string
  readonly displayName: string
  /** Parent, as of a folder; empty if it has none. */
  readonly parent: string
  readonly bindings: readonly Binding[]
  /** Whether its audit log contains reads and uses of keys; it always contains changes. */
  readonly dataAccessLog: boolean
}

/** Initial state. Nothing here is secret: the simulator listens on loopback and holds test keys. */
export interface CloudSeed {
  readonly organizations: readonly SimulatedOrganization[]
  readonly folders: readonly SimulatedFolder[]
  readonly projects: readonly SimulatedProject[]
  /** E-mails of service accounts with a key. */
  readonly serviceAccounts: readonly string[]
  /** Full names. */
  readonly rings: readonly string[]
}

const serviceAccount = (name: string): string => `${name}@shop-keys.iam.gserviceaccount.com`
const bound = (member: string, ...roles: readonly string[]): Binding[] =>
  roles.map((role) => ({ role, members: [member] }))

/** Has all rights that this service uses, and may use no key. */
const KEYMGR = serviceAccount('keymgr')
/** May read keys of one project, but not change them. */
const VISITOR = serviceAccount('visitor')
/** May use keys of one project and read them, and change none: an ordinary application. */
const APPLICATION = serviceAccount('orders')
/** A person whose applications use keys. */
export const SEEDED_USER = 'alice@shop.example'

const ADMINISTRATOR = [
  'roles/browser',
  'roles/cloudkms.admin',
  'roles/cloudkms.importer',
  'roles/cloudkms.publicKeyViewer',
  'roles/logging.privateLogViewer',
]

export const STANDARD_SEED: CloudSeed = {
  organizations: [
    {
      name: 'organizations/471100000001',
      displayName: 'shop.example',
      bindings: bound(`serviceAccount:${KEYMGR}`, 'roles/resourcemanager.organizationViewer'),
    },
  ],
  folders: [{ name: 'folders/471100000002', parent: 'organizations/471100000001' }],
  projects: [
    {
      id: 'shop-keys',
      number: '471100000010',
      displayName: 'Shop keys',
      parent: 'folders/471100000002',
      bindings: [
        ...bound(`serviceAccount:${KEYMGR}`, ...ADMINISTRATOR),
        ...bound(`serviceAccount:${VISITOR}`, 'roles/browser', 'roles/cloudkms.viewer', 'roles/logging.viewer'),
        ...bound(`serviceAccount:${APPLICATION}`, 'roles/cloudkms.cryptoOperator', 'roles/cloudkms.viewer'),
        ...bound(`user:${SEEDED_USER}`, 'roles/cloudkms.cryptoOperator', 'roles/cloudkms.viewer'),
      ],
      dataAccessLog: true,
    },
    {
      id: 'bank-keys',
      number: '471100000011',
      displayName: 'Bank keys',
      parent: 'organizations/471100000001',
      bindings: [
        ...bound(`serviceAccount:${KEYMGR}`, ...ADMINISTRATOR),
        ...bound(`user:${SEEDED_USER}`, 'roles/cloudkms.cryptoOperator'),
      ],
      dataAccessLog: false,
    },
    {
      id: 'lone-keys',
      number: '471100000012',
      displayName: '',
      parent: '',
      bindings: [],
      dataAccessLog: false,
    },
  ],
  serviceAccounts: [KEYMGR, VISITOR, APPLICATION],
  rings: [
    'projects/shop-keys/locations/europe-west3/keyRings/orders',
    'projects/shop-keys/locations/europe-west3/keyRings/invoices',
    'projects/shop-keys/locations/global/keyRings/shared',
    'projects/bank-keys/locations/us-east1/keyRings/ledger',
  ],
}

/** Locations of the cloud, the same for every project. */
export const LOCATIONS: readonly { readonly id: string; readonly displayName: string; readonly hsm: boolean }[] = [
  { id: 'asia-northeast1', displayName: 'Tokyo', hsm: true },
  { id: 'europe', displayName: 'Europe', hsm: true },
  { id: 'europe-west3', displayName: 'Frankfurt', hsm: true },
  { id: 'global', displayName: 'Global', hsm: true },
  { id: 'us-central1', displayName: 'Iowa', hsm: true },
  { id: 'us-east1', displayName: 'South Carolina', hsm: true },
]

export interface Directory extends Pick<CloudSeed, 'organizations' | 'folders'> {
  readonly projects: () => readonly SimulatedProject[]
  readonly project: (id: string) => SimulatedProject | undefined
  readonly alterProject: (id: string, change: Partial<Pick<SimulatedProject, 'bindings' | 'dataAccessLog'>>) => void
  /** Whether one of the bindings grants the member the permission. */
  readonly allows: (bindings: readonly Binding[], member: string, permission: string) => boolean
}

export function createDirectory({ organizations, folders, projects }: CloudSeed): Directory {
  const byId = new Map(projects.map((project) => [project.id, project]))
  return {
    organizations,
    folders,
    projects: () => [...byId.values()],
    project: (id) => byId.get(id),
    alterProject: (id, change) => {
      const project = byId.get(id)
      if (project === undefined) throw new Error(`There is no project ${id}.`)
      byId.set(id, { ...project, ...change })
    },
    allows: (bindings, member, permission) =>
      bindings.some(({ role, members }) => members.includes(member) && grants(role, permission)),
  }
}
