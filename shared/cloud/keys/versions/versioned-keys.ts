import { noLongerThere } from '../find-key.ts'
import type { KeyKind } from '../kind.ts'
import { followVersions, readAfter } from './record-versions.ts'
import type { FollowsVersions, VersionedTypes } from './kind.ts'

/** How keys with versions are read and recorded. @param kindOf knows the keys in turn */
export const versionedKeys = <T extends VersionedTypes>(
  kindOf: () => FollowsVersions<T>,
): Pick<KeyKind<T>, 'assertManaged' | 'readAfter' | 'readRefused' | 'refreshed'> => ({
  assertManaged: (key) => {
    if (key.gone) throw noLongerThere()
  },
  readAfter: (context, place, key) => readAfter(kindOf(), context, place, key),
  readRefused: async (context, key) => readAfter(kindOf(), context, await kindOf().keys.reach(context, key), key),
  refreshed: async (context, key, whole) => (await followVersions(kindOf(), context, key, whole)).key,
})
