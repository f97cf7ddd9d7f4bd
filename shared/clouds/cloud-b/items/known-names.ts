import type { Entity } from '../../../store/entity.ts'
import { nameIn, versionsIn } from './item.ts'

const PAGE = 100

/** A stretch of a vault's records, in the order of their refs. */
interface Stretch {
  readonly from: string
  /** the last ref of it; without one the vault has no further records */
  readonly to: string | undefined
  readonly names: ReadonlySet<string>
}

/**
 * Tells which names of a vault have records. Ours: records are read a stretch at a time, because the cloud lists names in
 * about the order in which they are on record; names in any other order cost one read each.
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
    const first = `${name.toLowerCase()}/` // before every ref of the name, and of no other
    const isWithin = ({ from, to }: Stretch): boolean => from <= first && (to === undefined || first <= to)
    if (stretch === undefined || !isWithin(stretch)) stretch = await read(first)
    return stretch.names.has(nameIn(first))
  }
}
