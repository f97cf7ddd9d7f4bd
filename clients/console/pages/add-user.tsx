import { memberOf } from '../answers.ts'
import { AddPage } from '../forms/add-page.tsx'
import { HOME } from '../home.ts'
import { callTo } from '../calls.ts'
import { NEW_USER } from '../users/actions.ts'

export default function AddUser() {
  return (
    <AddPage
      title="Add a user"
      about="A user who logs in by a password that is kept here. Groups say what the user may do."
      list={`${HOME}users`}
      listTitle="Users"
      fields={NEW_USER}
      call={(body) => callTo('post', '/v1/usermgmt/users', { body })}
      done="The user is there."
      next={(answer) => `${HOME}users/${encodeURIComponent(memberOf(answer, 'user_id'))}`}
    />
  )
}
