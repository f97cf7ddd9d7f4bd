/** A person of a tenant. */
export interface Person {
  readonly oid: string
  readonly tenant: string
  /** log-in name */
  readonly upn: string
  readonly password: string
  /** ids of the groups and roles that contain the person directly */
  readonly memberOf: readonly string[]
}

/** A group, or a directory role. */
export interface Group {
  readonly id: string
  readonly tenant: string
  readonly displayName: string
  readonly isRole: boolean
  /** groups that contain it directly */
  readonly memberOf: readonly string[]
}

/** An application that may read the directory of its tenant. */
export interface Application {
  readonly clientId: string
  readonly clientSecret: string
  readonly tenant: string
  readonly readsDirectory: boolean
}

export interface Directory {
  readonly people: readonly Person[]
  readonly groups: readonly Group[]
  readonly applications: readonly Application[]
}

const id = (kind: number, number: number): string => `d0c5000${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`

const SHOP = id(1, 1)
const BANK = id(1, 2)
/** More than one page of the directory can contain. */
const MANY = 2_100

const group = (number: number, displayName: string, more: Partial<Group> = {}): Group => ({
  id: id(3, number),
  tenant: SHOP,
  displayName,
  isRole: false,
  memberOf: [],
  ...more,
})
const person = (number: number, upn: string, memberOf: readonly string[], tenant = SHOP): Person => ({
  oid: id(2, number),
  tenant,
  upn,
  password: `password of ${upn}`,
  memberOf,
})

const staff = group(1, 'Staff')
const readers = group(2, 'Document Readers', { memberOf: [staff.id] })
const auditors = group(3, 'Compliance Auditors', { isRole: true })
const many = Array.from({ length: MANY }, (_, n) => group(1_000 + n, `Project ${String(n).padStart(4, '0')}`))

/** The initial directory: two tenants; Ada is in a nested group, and Max in more groups than two pages contain. */
export const DIRECTORY: Directory = {
  people: [
    person(1, 'ada@shop.example.test', [readers.id]),
    person(2, 'bob@shop.example.test', [auditors.id]),
    person(
      3,
      'max@shop.example.test',
      many.map((each) => each.id),
    ),
    person(4, 'eve@bank.example.test', [], BANK),
  ],
  groups: [staff, readers, auditors, ...many, group(4, 'Tellers', { tenant: BANK })],
  applications: [
    { clientId: id(4, 1), clientSecret: 'simulated~secret~of~shop', tenant: SHOP, readsDirectory: true },
    { clientId: id(4, 2), clientSecret: 'simulated~secret~of~bank', tenant: BANK, readsDirectory: false },
  ],
}

/** Groups and roles of a person, including nested groups. */
export function membershipOf({ groups }: Directory, { memberOf }: Person): Group[] {
  const found = new Set<string>()
  const waiting = [...memberOf]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue
    found.add(next)
    waiting.push(...(groups.find((each) => each.id === next)?.memberOf ?? []))
  }
  return groups.filter((each) => found.has(each.id))
}
