import { idOf } from '../state/ids.ts'

/** Permissions of users, by their names in the platform's profiles. */
export type Permission =
  | 'ApiEnabled'
  | 'ManageEncryptionKeys'
  | 'ManageCertificates'
  | 'CustomizeApplication'
  | 'ViewSetup'
  | 'ViewEventLogFiles'

export interface SimulatedUser {
  readonly id: string
  readonly username: string
  readonly password: string
  readonly securityToken: string
  readonly permissions: readonly Permission[]
  readonly isActive: boolean
}

/** An application through which users log in. */
export interface SimulatedApplication {
  readonly consumerKey: string
  readonly consumerSecret: string
  /** Names of the users that need not approve it. */
  readonly approvedFor: readonly string[]
}

export interface SimulatedOrganization {
  readonly id: string
  readonly name: string
  readonly isSandbox: boolean
  readonly users: readonly SimulatedUser[]
  readonly applications: readonly SimulatedApplication[]
}

const ALL: readonly Permission[] = [
  ...(['ApiEnabled', 'ManageEncryptionKeys', 'ManageCertificates'] as const),
  ...(['CustomizeApplication', 'ViewSetup', 'ViewEventLogFiles'] as const),
]

/** A production organization. */
export const SHOP = idOf('Organization', 1)
/** The sandbox of the shop. */
export const SHOP_SANDBOX = idOf('Organization', 2)

const user = (number: number, username: string, more: Partial<SimulatedUser> = {}): SimulatedUser => ({
  id: idOf('User', number),
  username,
  password: `password-of-${username}`,
  securityToken: `token${number}`,
  permissions: ALL,
  isActive: true,
  ...more,
})

const application = (name: string, approvedFor: readonly string[]): SimulatedApplication => ({
  consumerKey: `3MVG9.simulated.${name}`,
  consumerSecret: `simulated-secret-of-${name}`,
  approvedFor,
})

/** Users: one who may do everything, one for each thing that a user may lack, and an inactive one. */
const usersOf = (first: number, domain: string): readonly SimulatedUser[] => [
  user(first, `keymgr@${domain}`),
  user(first + 1, `newcomer@${domain}`),
  user(first + 2, `reader@${domain}`, { permissions: ['ApiEnabled'] }),
  user(first + 3, `guest@${domain}`, { permissions: [] }),
  user(first + 4, `former@${domain}`, { isActive: false }),
]

const approvedIn = (domain: string): readonly string[] =>
  ['keymgr', 'reader', 'guest', 'former'].map((name) => `${name}@${domain}`)

export const STANDARD_ORGANIZATIONS: readonly SimulatedOrganization[] = [
  {
    ...{ id: SHOP, name: 'Shop', isSandbox: false, users: usersOf(1, 'shop.example.test') },
    applications: [application('shop', approvedIn('shop.example.test'))],
  },
  {
    ...{ id: SHOP_SANDBOX, name: 'Shop Sandbox', isSandbox: true, users: usersOf(11, 'sandbox.shop.example.test') },
    applications: [application('sandbox', approvedIn('sandbox.shop.example.test'))],
  },
]
