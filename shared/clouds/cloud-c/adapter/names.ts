import { Refusal } from '../../../base/errors.ts'

/** Only characters that the cloud allows pass, because names become parts of paths and filters. */
const RING = /^projects\/([a-z0-9][a-z0-9:.-]{4,62})\/locations\/([a-z0-9-]{1,63})\/keyRings\/([A-Za-z0-9_-]{1,63})$/
const PROJECT = /^[a-z0-9][a-z0-9:.-]{4,62}$/
const LOCATION = /^[a-z0-9-]{1,63}$/
const SHORT = /^[A-Za-z0-9_-]{1,63}$/
const VERSION = /^[1-9][0-9]{0,9}$/

/** The parts of a ring's full name. */
export interface RingParts {
  readonly project: string
  readonly location: string
  readonly ring: string
}

const ruleBroken = (what: string, name: string): Refusal =>
  new Refusal('RULE_BROKEN', `${JSON.stringify(name.slice(0, 200))} is not ${what}.`)

/** @throws Refusal RULE_BROKEN */
export function ringParts(name: string): RingParts {
  const [, project, location, ring] = RING.exec(name) ?? []
  if (project !== undefined && location !== undefined && ring !== undefined) return { project, location, ring }
  throw ruleBroken('projects/<project>/locations/<location>/keyRings/<ring>', name)
}

const checked =
  (pattern: RegExp, what: string) =>
  (name: string): string => {
    if (pattern.test(name)) return name
    throw ruleBroken(what, name)
  }

/** Each returns the checked name. @throws Refusal RULE_BROKEN */
export const ringName = checked(RING, 'projects/<project>/locations/<location>/keyRings/<ring>')
export const projectId = checked(PROJECT, 'the id of a project')
export const locationId = checked(LOCATION, 'the id of a location')
const shortId = checked(SHORT, 'the id of a key: 1 to 63 of letters, digits, _ and -')
const versionNumber = checked(VERSION, 'the number of a version')

export const keyName = (ring: string, ref: string): string => `${ringName(ring)}/cryptoKeys/${shortId(ref)}`
export const versionName = (ring: string, ref: string, version: string): string =>
  `${keyName(ring, ref)}/cryptoKeyVersions/${versionNumber(version)}`

/** The last part of a full name: the short id of a key, the number of a version. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
