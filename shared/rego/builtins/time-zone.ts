/** A time zone: its offset from UTC and its abbreviation. */
export interface Zone {
  /** Seconds to add to UTC at a time, in seconds since 1970. */
  readonly offsetAt: (epochSeconds: number) => number
  /** `CET`, `EST`, or `+03` for a zone without an abbreviation. */
  readonly nameAt: (epochSeconds: number) => string
}

export const UTC: Zone = { offsetAt: () => 0, nameAt: () => 'UTC' }

/** English names of zones in the platform's data, with the abbreviations of the zone database. */
const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    GMT: ['Greenwich Mean Time'],
    UTC: ['Coordinated Universal Time'],
    BST: ['British Summer Time'],
    IST: ['Irish Standard Time', 'India Standard Time', 'Israel Standard Time'],
    IDT: ['Israel Daylight Time'],
    WET: ['Western European Standard Time'],
    WEST: ['Western European Summer Time'],
    CET: ['Central European Standard Time'],
    CEST: ['Central European Summer Time'],
    EET: ['Eastern European Standard Time'],
    EEST: ['Eastern European Summer Time'],
    MSK: ['Moscow Standard Time'],
    WAT: ['West Africa Standard Time', 'West Africa Time'],
    CAT: ['Central Africa Time'],
    EAT: ['East Africa Time'],
    SAST: ['South Africa Standard Time'],
    PKT: ['Pakistan Standard Time'],
    WIB: ['Western Indonesia Time'],
    WITA: ['Central Indonesia Time'],
    WIT: ['Eastern Indonesia Time'],
    HKT: ['Hong Kong Standard Time'],
    JST: ['Japan Standard Time'],
    KST: ['Korean Standard Time'],
    PST: ['Pacific Standard Time', 'Philippine Standard Time'],
    PDT: ['Pacific Daylight Time'],
    MST: ['Mountain Standard Time', 'Mexican Pacific Standard Time'],
    MDT: ['Mountain Daylight Time'],
    CST: ['Central Standard Time', 'China Standard Time', 'Taipei Standard Time', 'Cuba Standard Time'],
    CDT: ['Central Daylight Time', 'Cuba Daylight Time'],
    EST: ['Eastern Standard Time'],
    EDT: ['Eastern Daylight Time'],
    AST: ['Atlantic Standard Time'],
    ADT: ['Atlantic Daylight Time'],
    NST: ['Newfoundland Standard Time'],
    NDT: ['Newfoundland Daylight Time'],
    AKST: ['Alaska Standard Time'],
    AKDT: ['Alaska Daylight Time'],
    HST: ['Hawaii-Aleutian Standard Time'],
    HDT: ['Hawaii-Aleutian Daylight Time'],
    SST: ['Samoa Standard Time'],
    ChST: ['Chamorro Standard Time'],
    AWST: ['Australian Western Standard Time'],
    ACST: ['Australian Central Standard Time'],
    ACDT: ['Australian Central Daylight Time'],
    AEST: ['Australian Eastern Standard Time'],
    AEDT: ['Australian Eastern Daylight Time'],
    NZST: ['New Zealand Standard Time'],
    NZDT: ['New Zealand Daylight Time'],
  }).flatMap(([short, names]) => names.map((name): [string, string] => [name, short])),
)

/**
 * The zone of an IANA name, from the platform's own data; `""` and `UTC` are UTC. Ours: so is `Local`, since a policy
 * must not depend on where this process runs.
 * @returns undefined for an unknown name
 */
export function zoneNamed(name: string): Zone | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return UTC
  // The platform also accepts offsets and any letter case, which are not names of the zone database.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return undefined
  try {
    const offsets = formatter(name, 'longOffset')
    const known = offsets.resolvedOptions().timeZone
    if (known !== name && known.toLowerCase() === name.toLowerCase()) return undefined
    const names = formatter(name, 'long')
    const offsetAt = (epochSeconds: number): number => secondsOf(zonePart(offsets, epochSeconds))
    return {
      offsetAt,
      nameAt: (epochSeconds) => ABBREVIATIONS.get(zonePart(names, epochSeconds)) ?? numericName(offsetAt(epochSeconds)),
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const formatter = (timeZone: string, timeZoneName: 'long' | 'longOffset'): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName, year: 'numeric' })

const zonePart = (format: Intl.DateTimeFormat, epochSeconds: number): string =>
  format.formatToParts(epochSeconds * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? ''

/** `GMT-04:56:02` in seconds. */
function secondsOf(text: string): number {
  const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] = /^GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
}

/** `+03`, `-0330`. */
function numericName(offset: number): string {
  const size = Math.abs(offset)
  const minutes = Math.floor(size / 60) % 60
  const hours = String(Math.floor(size / 3600)).padStart(2, '0')
  return `${offset < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : String(minutes).padStart(2, '0')}`
}
