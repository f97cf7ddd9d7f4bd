/** All calls by name, with their methods. */
export const CALLS: Readonly<Record<string, 'GET' | 'POST'>> = {
  status: 'GET',
  certs: 'GET',
  wrap: 'POST',
  unwrap: 'POST',
  privilegedwrap: 'POST',
  privilegedunwrap: 'POST',
  takeout_unwrap: 'POST',
  privileged_unwrap: 'POST',
  delegate: 'POST',
  digest: 'POST',
  rewrap: 'POST',
  privatekeysign: 'POST',
  privatekeydecrypt: 'POST',
  privilegedprivatekeydecrypt: 'POST',
}
