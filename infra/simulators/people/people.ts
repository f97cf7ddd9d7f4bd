/** A person of a company, with a password that only this machine knows. */
export interface Person {
  /** log-in name, in both the provider and the directory */
  readonly name: string
  readonly fullName: string
  readonly email: string
  readonly password: string
  /** what never changes of a person: `sub` of the provider's tokens, `entryUUID` in the directory */
  readonly id: string
  readonly groups: readonly string[]
}

const person = (name: string, fullName: string, id: string, ...groups: string[]): Person => ({
  name,
  fullName,
  email: `${name}@company.test`,
  password: `password of ${name}`,
  id,
  groups,
})

/** Alice is a key owner, Bob uses keys. */
export const PEOPLE: readonly Person[] = [
  person('alice', 'Alice Archer', '6f1c2b1e-8f0a-4c56-9d3b-0a1f5e7c2d11', 'key-owners'),
  person('bob', 'Bob Baker', 'b2d7a0c4-3e59-4f7d-8a61-5c9e0d4b7f22', 'key-users'),
]

export const GROUPS: readonly string[] = ['key-owners', 'key-users']

/** The person with this name and password. */
export const personBy = (name: string, password: string): Person | undefined =>
  PEOPLE.find((each) => each.name === name.toLowerCase() && each.password === password)
