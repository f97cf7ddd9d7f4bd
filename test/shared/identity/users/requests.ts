import '../../../../shared/wiring.ts'
import { randomUUID } from 'node:crypto'
import type { Caller, Context } from '../../../../shared/http/context.ts'
import { NO_COOKIE } from '../../../../shared/http/answer/session-cookie.ts'
import { ROOT_DOMAIN_ID, ROOT_DOMAIN_NAME, uuid } from '../../../../shared/base/ids.ts'
import type { Domain } from '../../../../shared/identity/domains/model.ts'
import { CreateUser, type User } from '../../../../shared/identity/users/model.ts'
import { createUser } from '../../../../shared/identity/users/users.ts'
import { systemGroups } from '../../../../shared/identity/groups/system-groups.ts'
import { Changes, Stale } from '../../../../shared/store/changes.ts'
import { domains } from '../../../../shared/identity/domains/store.ts'
import { groups } from '../../../../shared/identity/groups/store.ts'

export const NOW = new Date('2030-05-06T07:08:09.123Z')
export const PASSWORD = 'Correct-horse-7'

export const callerFrom = (domain: Pick<Domain, 'id' | 'name'>, more: Partial<Caller> = {}): Caller => ({
  sub: 'local|01890000-0000-7000-8000-000000000000',
  username: 'caller',
  domain,
  homeDomainId: domain.id,
  groups: ['admin'],
  sessionId: undefined,
  ...more,
})

export const ROOT: Pick<Domain, 'id' | 'name'> = { id: ROOT_DOMAIN_ID, name: ROOT_DOMAIN_NAME }
export const rootAdmin = callerFrom(ROOT)
export const userAdmin = callerFrom(ROOT, { groups: ['User Admins'] })

interface Request {
  readonly caller?: Caller
  readonly now?: Date
  readonly ifMatch?: string
}

/** The context of a request; the test commits `changes`. */
export function contextOf(changes: Changes, { caller = rootAdmin, now = NOW, ifMatch }: Request = {}): Context {
  const done = new Map<string, Promise<unknown>>()
  return {
    now,
    traceId: 'trace',
    clientIp: '127.0.0.1',
    sessionCookie: NO_COOKIE,
    clientCertificate: undefined,
    caller,
    ifMatch,
    changes,
    despiteRefusal: new Changes(),
    once: <R>(name: string, work: () => Promise<R>): Promise<R> => {
      const result = (done.get(name) as Promise<R> | undefined) ?? work()
      done.set(name, result)
      return result
    },
    fingerprint: () => Promise.resolve(randomUUID()),
    remark: () => undefined,
    hasIdempotencyKey: false,
    summary: 'Test',
    afterCommit: () => undefined,
    about: () => undefined,
    setActor: () => undefined,
    uses: () => undefined,
    beforeEffects: () => undefined,
  }
}

/** Runs an operation like a request: commits its changes, and repeats it after a lost race. */
export async function request<T>(verb: (context: Context) => Promise<T>, options: Request = {}): Promise<T> {
  for (let run = 0; run < 8; run++) {
    const changes = new Changes()
    try {
      const answer = await verb(contextOf(changes, options))
      await changes.commit(options.now ?? NOW)
      return answer
    } catch (error) {
      if (!(error instanceof Stale)) throw error
    }
  }
  throw new Error('Lost the race eight times')
}

/** A domain with its system groups, without members. */
export async function makeDomain(
  name: string,
  { id = uuid(NOW), allow_user_management = false }: { id?: string; allow_user_management?: boolean } = {},
): Promise<Domain> {
  const domain: Domain = {
    id,
    uri: `keymgr:${ROOT_DOMAIN_ID}:admin:domains:${id}`,
    account: 'account',
    createdAt: NOW.toISOString(),
    updatedAt: NOW.toISOString(),
    name,
    admins: [],
    allow_user_management,
    kek_version: 0,
  }
  const changes = new Changes()
  changes.create(domains, ROOT_DOMAIN_ID, domain)
  for (const group of systemGroups(NOW)) changes.create(groups, id, group)
  await changes.commit(NOW)
  return domain
}

export async function makeUser(username: string, more: Partial<CreateUser> = {}, options: Request = {}): Promise<User> {
  const { item } = await request(
    (context) => createUser(context, CreateUser.parse({ username, password: PASSWORD, ...more })),
    options,
  )
  return item
}
