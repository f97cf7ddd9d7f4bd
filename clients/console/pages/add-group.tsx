import { memberOf } from '../answers.ts'
import { callTo } from '../calls.ts'
import { AddPage } from '../forms/add-page.tsx'
import { HOME } from '../home.ts'
import { NEW_GROUP } from '../users/actions.ts'

export default function AddGroup() {
  return (
    <AddPage
      title="Add a group"
      about="Policies and access lists say what its members may do."
      list={`${HOME}users/groups`}
      listTitle="Groups"
      fields={NEW_GROUP}
      call={(body) => callTo('post', '/v1/usermgmt/groups', { body })}
      done="The group is there."
      next={(answer) => `${HOME}users/groups/${encodeURIComponent(memberOf(answer, 'name'))}`}
    />
  )
}
