import { createHash, randomUUID } from 'node:crypto'
import type { Entry, Filter, SearchOptions, SearchResult } from 'ldapts'
import { NotReached } from '../strategies.ts'
import type { StoredLoginConnection } from '../store.ts'
import { ldapOf, type Ldap } from './model.ts'
import { keepIdle, takeIdle } from './pool.ts'
import { closeSession, deadlineFromNow, inTime, openSession, type DirectorySession } from './session.ts'
import { notConnected } from './socket.ts'
import { BINARY, idIn, textIn, textsIn } from './values.ts'

/** A person known to an LDAP directory. */
export interface DirectoryPerson {
  readonly dn: string
  /** a constant identifier of the person */
  readonly externalId: string | undefined
  readonly username: string
  readonly name: string | undefined
  readonly email: string | undefined
}

const INVALID_CREDENTIALS = 49
/** Results that concern the directory, not the password: operations error, time limit, busy, unavailable, other. */
const OF_DIRECTORY: readonly unknown[] = [1, 3, 51, 52, 80]
/** Ours: maximum number of groups with the same name in different places of a directory. */
const GROUPS_MOST = 500

/**
 * The member attribute with log-in names as values, by name and OID; the values of all others are DNs. @see RFC 2307 §3
 */
const BY_LOGIN_NAME: readonly string[] = ['memberuid', '1.3.6.1.1.1.1.12']

const resultOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
const isResult = (error: unknown): boolean => typeof resultOf(error) === 'number'

/** A refusal by the directory, without its message. */
const refusedBy = (error: unknown): NotReached =>
  isResult(error)
    ? new NotReached(`The directory refuses the search: result ${String(resultOf(error))} of LDAP.`, {
        cause: error,
        step: 'permission',
      })
    : notConnected(error)

/** The searches and binds of one log-in, within ten seconds in total. */
export class Directory {
  readonly #ldap: Ldap
  readonly #secret: string | undefined
  readonly #id: string
  readonly #state: string
  readonly #deadline = deadlineFromNow()

  constructor(connection: StoredLoginConnection, secret: string | undefined) {
    this.#ldap = ldapOf(connection)
    this.#secret = secret
    this.#id = connection.id
    const entry = JSON.stringify([this.#ldap, secret])
    this.#state = createHash('sha256').update(entry).digest('base64')
  }

  /** A new connection, bound with the DN for searches. @throws NotReached */
  async #bound(): Promise<DirectorySession> {
    const session = await openSession(this.#ldap)
    const { bind_dn } = this.#ldap
    // without a DN the bind is anonymous (RFC 4513 §5.1.1): some directories allow anonymous searches
    const binding = session.client.bind(bind_dn ?? '', bind_dn === undefined ? '' : this.#secret)
    try {
      await inTime(session, this.#deadline, binding)
      return session
    } catch (error) {
      closeSession(session)
      if (resultOf(error) === INVALID_CREDENTIALS)
        throw new NotReached('The directory refuses bind_dn and bind_password.', { cause: error, step: 'log_in' })
      throw refusedBy(error)
    }
  }

  async #searchOn(session: DirectorySession, base: string, options: SearchOptions): Promise<SearchResult> {
    try {
      const found = await inTime(session, this.#deadline, session.client.search(base, options))
      keepIdle(this.#id, this.#state, session)
      return found
    } catch (error) {
      closeSession(session)
      throw error
    }
  }

  /** Searches on an idle connection, or on a new one, also if the directory has closed the first. @throws NotReached */
  async #search(base: string, options: SearchOptions): Promise<readonly Entry[]> {
    const waiting = takeIdle(this.#id, this.#state)
    const limits = { scope: 'sub', derefAliases: 'never', timeLimit: 10, ...options } as const
    try {
      if (waiting !== undefined) return (await this.#searchOn(waiting, base, limits)).searchEntries
    } catch (error) {
      if (isResult(error) || error instanceof NotReached) throw refusedBy(error)
    }
    try {
      return (await this.#searchOn(await this.#bound(), base, limits)).searchEntries
    } catch (error) {
      throw error instanceof NotReached ? error : refusedBy(error)
    }
  }

  /** The only person with this name. Ours: a name of two entries identifies no one. @throws NotReached */
  async find(name: string): Promise<DirectoryPerson | undefined> {
    const { AndFilter, EqualityFilter, FilterParser } = await import('ldapts')
    const { base_dn, user_filter, user_attribute, id_attribute, name_attribute, email_attribute } = this.#ldap
    const attributes = [user_attribute, id_attribute, name_attribute, email_attribute].filter(
      (one) => one !== undefined,
    )
    // values are members of the message, never part of a text, so nothing can be injected (RFC 4515 §3)
    const named = new EqualityFilter({ attribute: user_attribute, value: name })
    const entries = await this.#search(base_dn, {
      filter: new AndFilter({ filters: [FilterParser.parseString(user_filter), named] }),
      sizeLimit: 2,
      attributes,
      explicitBufferAttributes: [...attributes, ...BINARY], // some names are spelled differently in the directory
    })
    const [entry, ...others] = entries
    if (entry === undefined || others.length > 0 || !entry.dn.includes('=')) return undefined
    const names = textsIn(entry, user_attribute)
    const username = names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? names[0]
    if (username === undefined) return undefined
    return {
      dn: entry.dn,
      externalId: idIn(entry, id_attribute),
      username,
      name: name_attribute === undefined ? undefined : textIn(entry, name_attribute),
      email: email_attribute === undefined ? undefined : textIn(entry, email_attribute),
    }
  }

  /**
   * Whether the directory accepts a password, on a separate connection. An empty password is refused without asking,
   * since every directory accepts it. @see RFC 4513 §5.1.2
   * @throws NotReached
   */
  async accepts(dn: string, password: string): Promise<boolean> {
    if (password === '' || dn === '') return false
    const session = await openSession(this.#ldap)
    try {
      await inTime(session, this.#deadline, session.client.bind(dn, password))
      return true
    } catch (error) {
      if (isResult(error) && !OF_DIRECTORY.includes(resultOf(error))) return false
      throw refusedBy(error)
    } finally {
      closeSession(session)
    }
  }

  /** Takes as long as `accepts`, for an unknown user. @throws NotReached */
  async spend(): Promise<void> {
    await this.accepts(`${this.#ldap.user_attribute}=${randomUUID()},${this.#ldap.base_dn}`, randomUUID())
  }

  /** The named groups that contain a person, spelled as in `names`. @throws NotReached */
  async groupsOf({ dn, username }: DirectoryPerson, names: readonly string[]): Promise<string[]> {
    if (names.length === 0) return []
    const { AndFilter, EqualityFilter, FilterParser, OrFilter } = await import('ldapts')
    const { base_dn, group_base_dn, group_filter, group_member_attribute, group_name_attribute } = this.#ldap
    const equal = (attribute: string, value: string): Filter => new EqualityFilter({ attribute, value })
    const entries = await this.#search(group_base_dn ?? base_dn, {
      filter: new AndFilter({
        filters: [
          FilterParser.parseString(group_filter),
          equal(group_member_attribute, BY_LOGIN_NAME.includes(group_member_attribute.toLowerCase()) ? username : dn),
          new OrFilter({ filters: names.map((name) => equal(group_name_attribute, name)) }),
        ],
      }),
      sizeLimit: GROUPS_MOST,
      attributes: [group_name_attribute],
      explicitBufferAttributes: [group_name_attribute],
    })
    const found = new Set(
      entries.flatMap((entry) => textsIn(entry, group_name_attribute)).map((one) => one.toLowerCase()),
    )
    return names.filter((name) => found.has(name.toLowerCase()))
  }

  /** Connects, binds and searches for one user. @throws NotReached */
  async prove(): Promise<void> {
    const { FilterParser } = await import('ldapts')
    const { base_dn, user_filter, user_attribute } = this.#ldap
    const filter = FilterParser.parseString(user_filter)
    const session = await this.#bound()
    try {
      const options = {
        scope: 'sub' as const,
        filter,
        sizeLimit: 1,
        timeLimit: 10,
        attributes: [user_attribute],
      } satisfies SearchOptions
      await inTime(session, this.#deadline, session.client.search(base_dn, options))
    } catch (error) {
      throw error instanceof NotReached ? error : refusedBy(error)
    } finally {
      closeSession(session)
    }
  }
}
