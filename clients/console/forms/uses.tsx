import { useQuery } from '@tanstack/preact-query'
import type { Use } from '../clouds/uses.ts'
import { counted } from '../words/numbers.ts'
import { Failed, Loading } from '../words/states.tsx'

/** How an action ends a resource for good. Functions of the resource are declared as methods: see `PlaceRow`. */
export interface Ending<T> {
  /** the name that the user types as a confirmation */
  nameOf(of: T): string
  /** everything that depends on the resource; absent where it cannot be read */
  uses?(of: T, signal: AbortSignal): Promise<readonly Use[]>
  /** names of actions that do less harm and are offered first */
  readonly milder?: readonly string[]
  /** refused while anything depends on the resource */
  readonly isForUnused?: boolean
}

/** Reads what depends on a resource. @param key of the query; different for each resource */
export const useUses = <T,>(ends: Ending<T> | undefined, of: T, key: string) =>
  useQuery({
    queryKey: ['uses', key],
    queryFn: async ({ signal }) => (await ends?.uses?.(of, signal)) ?? [],
    enabled: ends?.uses !== undefined,
    staleTime: 0,
  })

interface UsesProps {
  /** `undefined` while it is not known */
  readonly uses: readonly Use[] | undefined
  readonly error: Error | null
  /** whether uses can be read at all */
  readonly areKnown: boolean
  /** the list of the records of a use */
  readonly hrefOf?: (use: Use) => string | undefined
}

/** Everything that stops with a resource. The console never calls it unused: other uses may exist at the cloud. */
export function Uses(props: UsesProps) {
  return (
    <div class="uses" role="group" aria-label="Known uses">
      <h3>Known uses</h3>
      <UseList {...props} />
    </div>
  )
}

function UseList({ uses, error, areKnown, hrefOf }: UsesProps) {
  if (!areKnown) return <p>Uses at the cloud could not be read. A report shows who called the key.</p>
  if (error !== null) return <Failed error={new Error(`Not all uses could be read. ${error.message}`)} />
  if (uses === undefined) return <Loading what="Reading the uses" />
  if (uses.length === 0) return <p>No use of it is recorded here.</p>
  return (
    <ul class="plain-list">
      {uses.map((use) => (
        <UseItem key={use.kind} use={use} href={hrefOf?.(use)} />
      ))}
    </ul>
  )
}

function UseItem({
  use: { kind, count, names, effect },
  href,
}: {
  readonly use: Use
  readonly href: string | undefined
}) {
  const title = <b>{counted(count, kind)}</b>
  return (
    <li>
      {href === undefined ? title : <a href={href}>{title}</a>}
      {names.length > 0 && (
        <>
          {' '}
          ({names.join(', ')}
          {names.length < count ? ', …' : ''})
        </>
      )}
      {effect !== undefined && <>: {effect}</>}
    </li>
  )
}
