import { Refusal } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import type { Context } from '../../../http/context.ts'
import { Directory, type DirectoryPerson } from '../../connections/ldap/directory.ts'
import { openSecret } from '../../connections/secret.ts'
import { NotReached } from '../../connections/strategies.ts'
import { countFailure } from '../../users/login-record.ts'
import { domainAsked, ownerAsked } from '../domain-asked.ts'
import { domainNamed, loginFailed } from '../credentials.ts'
import type { Grant } from '../grants/grant.ts'
import { admit } from './admit.ts'
import { placeOf, type Place } from './place.ts'
import { standingOf } from './standing.ts'

/** The directory is not available. The caller does not receive its message. */
const unavailable = (cause: NotReached): Refusal =>
  new Refusal(
    'UNAVAILABLE',
    'The directory of this connection does not answer now: try again, or log in another way.',
    {
      cause,
    },
  )

/** Each request is made once per call, even if the operation runs again. */
function asking(context: Context, place: Place, directory: Directory, name: string, password: string) {
  const { id } = place.connection.item
  const once = async <T>(question: string, ask: () => Promise<T>): Promise<T> => {
    try {
      return await context.once(`directory ${id} ${question}`, ask)
    } catch (error) {
      throw error instanceof NotReached ? unavailable(error) : error
    }
  }
  return {
    find: () => once(`find ${name}`, () => directory.find(name)),
    accepts: ({ dn }: DirectoryPerson) => once(`accepts ${dn} ${password}`, () => directory.accepts(dn, password)),
    spend: () => once('spend', () => directory.spend()),
    groupsOf: (person: DirectoryPerson) => {
      const names = [...new Set(place.connection.item.group_mappings.map(({ external }) => external))]
      return once(`groups ${person.dn}`, () => directory.groupsOf(person, names))
    },
  }
}

/**
 * A log-in with a password that the directory checks. An unknown, locked or disabled user costs the same as any other:
 * one search, one bind and one counted failure; their password is not sent.
 * @throws Refusal LOGIN_FAILED; UNAVAILABLE when the directory does not answer
 */
export const directoryPasswordGrant: Grant = async (context, request) => {
  const { connection: connectionName = '', password = '' } = request
  const name = request.name ?? request.username ?? ''
  const place = await placeOf(domainAsked(request), connectionName, 'ldap', ownerAsked(request))
  const domain = place?.domain ?? (await domainNamed(domainAsked(request))) ?? { id: ROOT_DOMAIN_ID, name: 'root' }
  const home = place?.homeDomainId ?? domain.id
  context.setActor({ sub: '', username: name, domain: { id: domain.id, name: domain.name } })
  const refuse = (why: string, userId?: string): Refusal => {
    if (place) {
      const { uri, name: of } = place.connection.item
      context.about({ uri, name: of, after: { refused_because: why } })
    }
    countFailure(context.despiteRefusal, home, userId === undefined ? { name } : { userId }, context.now)
    return loginFailed()
  }
  if (place === undefined) throw refuse('there is no such connection')
  const secret = await openSecret(home, place.connection.item)
  const directory = asking(context, place, new Directory(place.connection.item, secret), name, password)
  const person = await directory.find()
  const standing =
    person === undefined ? { why: 'the directory has no such user' } : await standingOf(context, place, person)
  if (person === undefined || 'why' in standing) {
    await directory.spend()
    throw refuse('why' in standing ? standing.why : '')
  }
  const { found, logins } = standing
  if (!(await directory.accepts(person)))
    throw refuse('the directory refuses the password', 'stored' in found ? found.stored.item.user_id : undefined)
  const externalGroups = await directory.groupsOf(person)
  return admit(context, place, request, { person, found, externalGroups, logins })
}
