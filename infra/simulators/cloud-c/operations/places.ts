import type { Call, Route } from '../call.ts'
import { describeRing } from '../describe.ts'
import { LOCATIONS } from '../directory.ts'
import { exists, notFound } from '../errors.ts'
import { newId, requireLocation, ringNamed } from '../found.ts'
import { listed } from '../pages.ts'
import { sortedNames } from '../../toolkit/sorted-names.ts'

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

/** Locations and key rings, which are for ever. */
export const placeRoutes: readonly Route[] = [
  {
    operation: 'ListLocations',
    service: 'kms',
    methods: ['GET'],
    path: `${PROJECT}/locations`,
    permission: 'cloudkms.locations.list',
    quota: 'read',
    run: (call) => {
      const { totalSize: _, ...page } = {
        totalSize: 0,
        ...listed(call, 'locations', names, (id) => describeLocation(call, id)),
      }
      return page
    },
  },
  {
    operation: 'GetLocation',
    service: 'kms',
    methods: ['GET'],
    path: LOCATION,
    permission: 'cloudkms.locations.get',
    quota: 'read',
    run: (call) => {
      const [project, id = ''] = call.name.split('/locations/')
      const location = describeLocation({ ...call, name: project ?? '' }, id)
      if (location === undefined) throw notFound(call.name)
      return location
    },
  },
  {
    operation: 'ListKeyRings',
    service: 'kms',
    methods: ['GET'],
    path: `${LOCATION}/keyRings`,
    permission: 'cloudkms.keyRings.list',
    audit: 'ADMIN_READ',
    quota: 'read',
    run: (call) => {
      requireLocation(call.name)
      return listed(call, 'keyRings', call.state.names('ring', call.name), (id) => {
        const ring = call.state.rings.get(`${call.name}/keyRings/${id}`)
        return ring && describeRing(ring)
      })
    },
  },
  {
    operation: 'CreateKeyRing',
    service: 'kms',
    methods: ['POST'],
    path: `${LOCATION}/keyRings`,
    permission: 'cloudkms.keyRings.create',
    audit: 'ADMIN_WRITE',
    quota: 'write',
    run: (call) => {
      requireLocation(call.name)
      const ring = { name: `${call.name}/keyRings/${newId(call, 'keyRingId')}`, createdAt: call.state.now() }
      if (call.state.rings.has(ring.name)) throw exists(`KeyRing ${ring.name}`)
      call.state.saveRing(ring)
      return describeRing(ring)
    },
  },
  {
    operation: 'GetKeyRing',
    service: 'kms',
    methods: ['GET'],
    path: `${LOCATION}/keyRings/*`,
    permission: 'cloudkms.keyRings.get',
    audit: 'ADMIN_READ',
    quota: 'read',
    run: (call) => describeRing(ringNamed(call, call.name)),
  },
]
