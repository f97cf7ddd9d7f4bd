import { expect } from 'vitest'
import { ALL_CLIENTS, SYSTEM_GROUPS } from '../../shared/identity/groups/model.ts'
import { clientsOf, logInAs } from '../functions/clients/clients.ts'
import { Holder } from '../functions/vault/vault.ts'
import type { KeyedCertificate } from './mutual-tls.ts'
import { passwordOf, type Service } from './service.ts'

/** A kind of caller: the credentials of its requests, and facts about it. */
export interface CallerKind {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** whether its token, if any, proves an identity */
  readonly known: boolean
  readonly groups: readonly string[]
  readonly inChild: boolean
  /** the certificate on the connections of a registered client */
  readonly identity?: KeyedCertificate
  /** gives a new token, as one lasts five minutes; callers without one of their own have none */
  readonly logIn?: () => Promise<string>
}

export interface Everybody {
  readonly kinds: readonly CallerKind[]
  /** the token of the administrator of the root domain */
  readonly root: string
  readonly childId: string
  /** @returns a token of the administrator of the child domain */
  readonly logInChild: () => Promise<string>
}

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

/** The caller with a new token. */
export const renewed = async (kind: CallerKind): Promise<CallerKind> =>
  kind.logIn === undefined ? kind : { ...kind, headers: bearer(await kind.logIn()) }

/**
 * One caller of every kind: without identity in several ways, without a group, in each group, and of a child domain.
 */
export async function everybody(service: Service): Promise<Everybody> {
  const { clock } = service.deployment
  clock.advance(-600_000)
  const expired = await service.logIn()
  clock.advance(600_000)
  const root = await service.logIn()
  const nobody = (name: string, headers: Record<string, string>): CallerKind => ({
    name,
    headers,
    known: false,
    groups: [],
    inChild: false,
  })
  const kinds: CallerKind[] = [
    nobody('without token', {}),
    nobody('with a garbage token', bearer('bm90.YQ.dG9rZW4')),
    nobody('with an expired token', bearer(expired)),
  ]
  const member = async (groups: readonly string[]): Promise<CallerKind> => {
    const username = `of-${groups[0]?.replaceAll(' ', '-') ?? 'none'}`
    const { token } = await service.userIn(root, username, groups)
    const logIn = (): Promise<string> => service.logIn(username, passwordOf(username))
    return { name: `of ${groups[0] ?? 'no group'}`, headers: bearer(token), logIn, known: true, groups, inChild: false }
  }
  kinds.push(await member([]))
  for (const group of SYSTEM_GROUPS) kinds.push(await member([group]))
  const { child, childId, logIn } = await childAdmin(service, 'child', { allow_user_management: true })
  const admin = { known: true, groups: ['admin'] }
  kinds.push(
    { name: 'the administrator', headers: bearer(root), logIn: () => service.logIn(), ...admin, inChild: false },
    { name: "a child domain's administrator", headers: bearer(child), logIn, ...admin, inChild: true },
  )
  return { kinds, root, childId, logInChild: logIn }
}

/**
 * Registered clients with mutual TLS, without a group and in one, and the token of a client without its certificate.
 * The service needs a TLS port.
 */
export async function clientKinds(service: Service, root: string): Promise<CallerKind[]> {
  const clients = clientsOf({ service, admin: new Holder(service, () => Promise.resolve(root)) })
  const { id: ca_id } = await clients.authority()
  const token = await clients.token({ ca_id })
  const kind = async (groups: readonly string[]): Promise<CallerKind & { readonly identity: KeyedCertificate }> => {
    const { id, identity } = await clients.machine(token, { groups })
    const logIn = async (): Promise<string> => {
      const { status, body } = await logInAs(service, id, identity)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.jwt as string
    }
    const name = `a client of ${groups[0] ?? 'no group'}`
    const headers = bearer(await logIn())
    return { name, headers, logIn, identity, known: true, groups: [...groups, ALL_CLIENTS], inChild: false }
  }
  const [plain, member] = [await kind([]), await kind(['Key Admins'])]
  const { identity: _identity, ...bare } = member
  return [plain, member, { ...bare, name: 'a client without its certificate', known: false }]
}

/**
 * A child domain of the root domain, and the token of its administrator: a user of the root domain without groups
 * there.
 * @param called its name; it contains the name of the service's domain where the root domain is shared
 */
export async function childAdmin(
  { root, isRoot, domain }: Service,
  called = 'child',
  more: { readonly allow_user_management?: boolean } = {},
): Promise<{ child: string; childId: string; userId: string; logIn: () => Promise<string> }> {
  const name = isRoot ? called : `${called}-of-${domain.name}`
  const username = `admin-of-${name}`
  const token = await root.logIn()
  const { userId } = await root.userIn(token, username, [])
  const made = await root.call('POST', '/v1/domains', { token, body: { name, admins: [userId], ...more } })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const logIn = (): Promise<string> => root.logIn(username, passwordOf(username), { domain: name })
  return { child: await logIn(), childId: made.body.id as string, userId, logIn }
}
