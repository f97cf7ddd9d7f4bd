import type * as z from 'zod'
import { Refusal } from '../../base/errors.ts'
import type { Context } from '../../http/context.ts'
import { idsAfter } from '../../store/list.ts'
import type { Discovered, Searched } from '../../work/schedule/discovery/discovered.ts'
import { OWN_PRODUCT } from '../connections/bodies.ts'
import { findConnectionOf } from '../connections/find-connection.ts'
import { connections, type StoredConnection } from '../connections/store.ts'
import type { ContainerKind, ContainerRow, StoredContainer } from './kind.ts'

const PAGE = 100
/** Ours: the most pages of one list that are read, so that a list without an end does not stop a search. */
const PAGES_MOST = 200

const searched = ({ id, name, uri }: StoredConnection): Searched => ({ id, name, uri })

/** The connection with an id or name, or every connection to a service that this product may use. */
async function connectionsTo(
  service: string,
  context: Pick<Context, 'caller'>,
  named: string | undefined,
): Promise<readonly Searched[]> {
  const domain = context.caller.domain.id
  if (named !== undefined) {
    try {
      return [searched((await findConnectionOf(service, context, named)).item)]
    } catch (error) {
      if (error instanceof Refusal && error.reason === 'NOT_FOUND') return []
      throw error
    }
  }
  const found: Searched[] = []
  let after: string | undefined
  do {
    const ids = await idsAfter(connections, domain, `service:${service}`, after, PAGE)
    for (const { item } of await connections.getMany(domain, ids, 'leave out'))
      if (item.products.includes(OWN_PRODUCT)) found.push(searched(item))
    after = ids.length < PAGE ? undefined : ids.at(-1)
  } while (after !== undefined)
  return found
}

/** Every item of a paged look-up. @throws Refusal CLOUD_INVALID for a list without an end */
export async function everyItem<Item>(
  page: (token: string | undefined) => Promise<{ readonly items: readonly Item[]; readonly next?: string | undefined }>,
): Promise<Item[]> {
  const items: Item[] = []
  let token: string | undefined
  for (let read = 0; read < PAGES_MOST; read++) {
    const { items: some, next } = await page(token)
    items.push(...some)
    if (next === undefined || next === '') return items
    token = next
  }
  throw new Refusal('CLOUD_INVALID', `The cloud lists more than ${PAGES_MOST} pages.`)
}

interface Declared<T extends StoredContainer, R extends ContainerRow, S, Body>
  extends Pick<Discovered, 'find' | 'add' | 'places' | 'containersIn'>, Partial<Pick<Discovered, 'isKnown'>> {
  readonly service: string
  readonly kind: ContainerKind<T, R, S>
  /** schema of the body of the single call */
  readonly body: z.ZodType<Body>
  /** the single call */
  readonly verb: (context: Context, body: Body) => Promise<unknown>
}

/** Discovery of one kind of container. A found container is known by the unique value of its kind. */
export function discovery<T extends StoredContainer, R extends ContainerRow, S, Body>({
  service,
  kind,
  body: schema,
  verb,
  ...own
}: Declared<T, R, S, Body>): Discovered {
  return {
    connections: (context, named) => connectionsTo(service, context, named),
    isKnown: async ({ caller }, key) => (await kind.entity.holder(caller.domain.id, kind.namedBy, key)) !== undefined,
    addOne: async (context, given) => {
      const { data, error } = schema.safeParse(given)
      if (data !== undefined) return verb(context, data)
      const [issue] = error?.issues ?? []
      throw new Refusal(
        'CLOUD_INVALID',
        `The cloud describes the ${kind.noun} in an unexpected form: ${issue?.path.join('/') ?? ''} ${issue?.message ?? ''}.`,
      )
    },
    ...own,
  }
}
