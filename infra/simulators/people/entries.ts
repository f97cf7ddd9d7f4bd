import { GROUPS, PEOPLE } from './people.ts'

/** An entry of the directory. Attributes are spelled as in the schema. */
export interface Entry {
  readonly dn: string
  readonly attributes: Readonly<Record<string, readonly string[]>>
  readonly password?: string
}

export const BASE_DN = 'o=company'
export const PEOPLE_DN = `ou=people,${BASE_DN}`
export const GROUPS_DN = `ou=groups,${BASE_DN}`
/** The account with which keymgr searches. */
export const READER = { dn: `cn=keymgr,${BASE_DN}`, password: 'password of keymgr' } as const

const dnOf = (name: string): string => `uid=${name},${PEOPLE_DN}`

/** @see RFC 4519, RFC 2798, RFC 4530 */
export const ENTRIES: readonly Entry[] = [
  { dn: BASE_DN, attributes: { objectClass: ['top', 'organization'], o: ['company'] } },
  { dn: PEOPLE_DN, attributes: { objectClass: ['top', 'organizationalUnit'], ou: ['people'] } },
  { dn: GROUPS_DN, attributes: { objectClass: ['top', 'organizationalUnit'], ou: ['groups'] } },
  {
    dn: READER.dn,
    password: READER.password,
    attributes: { objectClass: ['top', 'applicationProcess'], cn: ['keymgr'] },
  },
  ...PEOPLE.map(({ name, fullName, email, password, id }) => ({
    dn: dnOf(name),
    password,
    attributes: {
      objectClass: ['top', 'person', 'organizationalPerson', 'inetOrgPerson'],
      uid: [name],
      cn: [fullName],
      sn: [fullName.split(' ').at(-1) ?? fullName],
      mail: [email],
      entryUUID: [id],
    },
  })),
  ...GROUPS.map((cn) => ({
    dn: `cn=${cn},${GROUPS_DN}`,
    attributes: {
      objectClass: ['top', 'groupOfNames'],
      cn: [cn],
      member: PEOPLE.filter(({ groups }) => groups.includes(cn)).map(({ name }) => dnOf(name)),
    },
  })),
]

/** A DN for comparisons: without spaces between its parts, and without case. */
export const comparable = (dn: string): string => dn.toLowerCase().replaceAll(/\s*([,=])\s*/g, '$1')
