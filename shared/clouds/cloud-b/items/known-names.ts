import type { Entity } from '../../../store/entity.ts'
import { nameIn, versionsIn } from './item.ts'

const PAGE = 100

/** A range of a vault's records, in the order of their refs. */
interface Stretch {
  readonly from: string
  /** the last ref of the range; `undefined` if the vault has no further records */
  readonly to: string | undefined
  readonly names: ReadonlySet<string>
}

/**
 * Whether names of a vault have records. Ours: records are read range by range, because the cloud lists names in about
 * the order of the records; a name outside the current range costs one read.
 */
export function knownNames<T, R>(
  entity: Pick<Entity<T, R>, 'membersAfter'>,
  domain: string,
  vaultId: string,
): (name: string) => Promise<boolean> {
  let stretch: Stretch | undefined
  const read = async (from: string): Promise<Stretch> => {
    const members = await entity.membersAfter(domain, versionsIn(vaultId), from, PAGE)
    const names = new Set(members.map(({ key }) => nameIn(key)))
    return { from, to: members.length < PAGE ? undefined : members.at(-1)?.key, names }
  }
  return async (name) => {
    const first = `${name.toLowerCase()}/` // sorts before every ref of the name and after those of other names
    const isWithin = ({ from, to }: Stretch): boolean => from <= first && (to === undefined || first <= to)
    if (stretch === undefined || !isWithin(stretch)) stretch = await read(first)
    return stretch.names.has(nameIn(first))
  }
}
