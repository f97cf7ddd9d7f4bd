import { sortedNames } from '../../toolkit/sorted-names.ts'
import type { Call, Route } from '../call.ts'
import { describeRing } from '../describe.ts'
import { LOCATIONS } from '../directory.ts'
import { exists, notFound } from '../errors.ts'
import { newId, requireLocation, ringNamed } from '../found.ts'
import { listed } from '../pages.ts'
import { change, look, read } from '../route.ts'

const PROJECT = '/v1/projects/*'
const LOCATION = `${PROJECT}/locations/*`
const names = sortedNames()
names.addAll(LOCATIONS.map(({ id }) => id))

function describeLocation({ name }: Call, id: string): object | undefined {
  const location = LOCATIONS.find((each) => each.id === id)
  return (
    location && {
      name: `${name}/locations/${id}`,
      locationId: id,
      displayName: location.displayName,
      labels: { 'cloud.googleapis.com/region': id },
      metadata: {
        '@type': 'type.googleapis.com/google.cloud.kms.v1.LocationMetadata',
        ...(location.hsm && { hsmAvailable: true }),
      },
    }
  )
}

function listLocations(call: Call): object {
  const { totalSize: _, ...page } = {
    totalSize: 0,
    ...listed(call, 'locations', names, (id) => describeLocation(call, id)),
  }
  return page
}

function getLocation(call: Call): object {
  const [project, id = ''] = call.name.split('/locations/')
  const location = describeLocation({ ...call, name: project ?? '' }, id)
  if (location === undefined) throw notFound(call.name)
  return location
}

function listRings(call: Call): object {
  requireLocation(call.name)
  return listed(call, 'keyRings', call.state.names('ring', call.name), (id) => {
    const ring = call.state.rings.get(`${call.name}/keyRings/${id}`)
    return ring && describeRing(ring)
  })
}

function createRing(call: Call): object {
  requireLocation(call.name)
  const ring = { name: `${call.name}/keyRings/${newId(call, 'keyRingId')}`, createdAt: call.state.now() }
  if (call.state.rings.has(ring.name)) throw exists(`KeyRing ${ring.name}`)
  call.state.saveRing(ring)
  return describeRing(ring)
}

/** Locations, and key rings, which cannot be deleted. */
export const placeRoutes: readonly Route[] = [
  look('ListLocations', `${PROJECT}/locations`, 'locations.list', listLocations),
  look('GetLocation', LOCATION, 'locations.get', getLocation),
  read('ListKeyRings', `${LOCATION}/keyRings`, 'keyRings.list', listRings),
  change('CreateKeyRing', `${LOCATION}/keyRings`, 'keyRings.create', createRing),
  read('GetKeyRing', `${LOCATION}/keyRings/*`, 'keyRings.get', (call) => describeRing(ringNamed(call, call.name))),
]
