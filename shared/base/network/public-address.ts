import { BlockList, isIP } from 'node:net'

/** Networks that are not of the public Internet. @see RFC 6890, and the special-purpose registry of IANA */
const RESERVED_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // behind a carrier's address translation
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24', // relays to IPv6
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]
/**
 * All public addresses of IPv6. Addresses mapped from IPv4 or translated to it, loopback and local ones are outside
 * this range.
 */
const GLOBAL_6 = ['2000::/3']
const RESERVED_6 = [
  '2001::/23', // protocol assignments, with tunnels to IPv4
  '2001:db8::/32',
  '2002::/16', // tunnels to any IPv4 address
  '3fff::/20',
]

function networks(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', bits] = range.split('/')
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

const reserved4 = networks('ipv4', RESERVED_4)
const global6 = networks('ipv6', GLOBAL_6)
const reserved6 = networks('ipv6', RESERVED_6)
const loopback4 = networks('ipv4', ['127.0.0.0/8'])

/** Whether a text is an address of the public Internet; false for a text that is not an address. */
export function isPublicAddress(ip: string): boolean {
  if (ip.includes('%')) return false // an address with a zone is link-local
  if (isIP(ip) === 4) return !reserved4.check(ip, 'ipv4')
  return isIP(ip) === 6 && global6.check(ip, 'ipv6') && !reserved6.check(ip, 'ipv6')
}

/** Whether a text is an address of this machine itself. An IPv4 address in IPv6 notation does not count. */
export const isLoopbackAddress = (ip: string): boolean => (isIP(ip) === 4 ? loopback4.check(ip, 'ipv4') : ip === '::1')
