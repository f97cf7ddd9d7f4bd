import * as z from 'zod'
import { strictObject } from '../../../base/lazy-fields.ts'
import { LdapUrl } from './address.ts'

/** Name of an attribute. @see RFC 4512 §1.4 */
const Attribute = z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,62}$/, { error: 'must be the name of an attribute' })
const Dn = z
  .string()
  .min(3)
  .max(1_024)
  .refine((dn) => dn.includes('=') && dn.isWellFormed(), {
    error: 'must be a distinguished name, such as ou=people,o=one',
  })
const Filter = z.string().min(3).max(1_024).meta({ description: 'a filter of LDAP (RFC 4515), in parentheses' })
const CaCert = z
  .string()
  .min(1)
  .max(65_536)
  .meta({ description: 'authorities of the directory, PEM; those of the system without' })
const BindPassword = z.string().min(1).max(1_024).meta({ writeOnly: true })

const optional = {
  ca_cert: CaCert,
  bind_dn: Dn,
  name_attribute: Attribute,
  email_attribute: Attribute,
  group_base_dn: Dn,
}
const required = { url: LdapUrl, base_dn: Dn }
const defaulted = {
  start_tls: z.boolean().default(false),
  user_filter: Filter.default('(objectClass=person)'),
  user_attribute: Attribute.default('uid'),
  id_attribute: Attribute.default('entryUUID').meta({
    description: 'attribute that never changes for a user; objectGUID is stored in hex',
  }),
  group_filter: Filter.default('(objectClass=groupOfNames)'),
  group_member_attribute: Attribute.default('member').meta({
    description: 'holds DNs of members; memberUid holds their log-in names',
  }),
  group_name_attribute: Attribute.default('cn'),
}

const partial = <S extends z.ZodRawShape>(shape: S) => z.strictObject(shape).partial().shape
const nullable = <S extends Record<string, z.ZodType>>(shape: S) =>
  Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, schema.nullable().optional()])) as {
    [F in keyof S]: z.ZodOptional<z.ZodNullable<S[F]>>
  }

/** A directory in a request. */
export const LdapGiven = strictObject(() => ({
  ...required,
  ...defaulted,
  ...partial(optional),
  bind_password: BindPassword.optional(),
}))

/** A directory in answers and records, without the password of `bind_dn`, which is encrypted separately. */
export const LdapShown = z.object(LdapGiven.omit({ bind_password: true }).shape)
export type Ldap = z.infer<typeof LdapShown>

/** Changes of a directory: absent fields are unchanged, `null` clears. */
export const LdapChanged = strictObject(() => ({
  ...partial(required),
  start_tls: z.boolean().optional(),
  user_filter: Filter.optional(),
  user_attribute: Attribute.optional(),
  id_attribute: Attribute.optional(),
  group_filter: Filter.optional(),
  group_member_attribute: Attribute.optional(),
  group_name_attribute: Attribute.optional(),
  ...nullable(optional),
  bind_password: BindPassword.nullable().optional(),
}))

/** The fields of an LDAP connection. @throws Error, a fault, for another strategy */
export const ldapOf = ({ ldap }: { readonly ldap?: Ldap | undefined }): Ldap => {
  if (ldap === undefined) throw new Error('A connection of strategy ldap has its fields')
  return ldap
}
