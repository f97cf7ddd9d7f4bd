import { onlyOf, type Load } from '../base/room.ts'

declare module '../base/room.ts' {
  interface RoomRow {
    readonly groupDirectory?: Load<GroupDirectory>
  }
}

/**
 * The groups of a domain, for rooms that store references to them: by id, which a rename does not change and which is
 * never reused.
 */
export interface GroupDirectory {
  /** Ids of the groups with these names, by name, without unknown names. */
  readonly idsOf: (domain: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>
  /** Names of the groups with these ids, by id, without unknown ids. */
  readonly namesOf: (domain: string, ids: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

/** @throws Error, a fault, when the function does not load them */
export const groupDirectory = (): Promise<GroupDirectory> => onlyOf('groupDirectory')
