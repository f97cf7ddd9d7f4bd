import type { Caller } from './call.ts'
import type { Directory } from './directory.ts'
import { projectOf, ringOf, type Binding } from './held.ts'
import type { CloudState } from './state.ts'

/** Bindings of a resource and of the resources above it: project, ring, key. */
function bindingsOn({ state, directory }: { state: CloudState; directory: Directory }, resource: string): Binding[] {
  if (resource.startsWith('organizations/'))
    return [...(directory.organizations.find(({ name }) => name === resource)?.bindings ?? [])]
  if (resource.startsWith('folders/')) return directory.projects().flatMap(({ bindings }) => bindings)
  const key = resource.split('/').slice(0, 8).join('/')
  return [
    ...(directory.project(projectOf(resource))?.bindings ?? []),
    ...(state.rings.get(ringOf(resource))?.policy?.bindings ?? []),
    ...(state.key(key)?.policy?.bindings ?? []),
  ]
}

/** Ours: bindings with a condition grant nothing, since conditions are stored but not evaluated. */
export const isAllowed = (
  house: { state: CloudState; directory: Directory },
  { member }: Caller,
  permission: string,
  resource: string,
): boolean =>
  house.directory.allows(
    bindingsOn(house, resource).filter(({ condition }) => condition === undefined),
    member,
    permission,
  )
