import { sender } from '../../sender.js';

const WHO = '{action.memberCreator.fullName|action.memberCreator.username}';
const CARD = '[{action.data.card.name}](https://trello.com/c/{action.data.card.shortLink})';
const BOARD_TOPIC = "{action.data.board.name|model.name|'Trello'}";

export const trello = sender({
  name: 'trello',
  displayName: 'Trello',
  docs: 'https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/',
  event: '{action.type}',
  topic: BOARD_TOPIC,
  events: {
    createCard: `${WHO} created ${CARD}<< in list {action.data.list.name:bold}>>.`,
    updateCard: [
      {
        when: 'action.data.listAfter',
        text: `${WHO} moved ${CARD} from {action.data.listBefore.name:bold} to {action.data.listAfter.name:bold}.`,
      },
      { when: 'action.data.card.closed', text: `${WHO} archived ${CARD}.` },
      {
        when: 'action.data.old.name',
        text: `${WHO} renamed ${CARD} (was {action.data.old.name}).`,
      },
      {
        when: 'action.data.card.desc',
        text: `${WHO} described ${CARD}:{action.data.card.desc:quote}`,
      },
      {
        when: 'action.data.card.due',
        text: `${WHO} set the due date of ${CARD} to {action.data.card.due}.`,
      },
    ],
    deleteCard: `${WHO} deleted a card<< of list {action.data.list.name:bold}>>.`,
    commentCard: `${WHO} commented on ${CARD}:<<{action.data.text:quote}>>`,
    addMemberToCard: `${WHO} added {action.member.fullName|'somebody':bold} to ${CARD}.`,
    removeMemberFromCard: `${WHO} removed {action.member.fullName|'somebody':bold} from ${CARD}.`,
    addLabelToCard: `${WHO} added the label {action.data.label.name|action.data.label.color|action.data.value|'without a name':bold} to ${CARD}.`,
    removeLabelFromCard: `${WHO} removed the label {action.data.label.name|action.data.label.color|action.data.value|'without a name':bold} from ${CARD}.`,
    addAttachmentToCard: `${WHO} attached [{action.data.attachment.name}](action.data.attachment.url) to ${CARD}.`,
    addChecklistToCard: `${WHO} added the checklist {action.data.checklist.name:bold} to ${CARD}.`,
    updateCheckItemStateOnCard: `${WHO} set {action.data.checkItem.name:bold} of ${CARD} to {action.data.checkItem.state}.`,
    createList: `${WHO} created the list {action.data.list.name:bold}.`,
    addMemberToBoard: `${WHO} added {action.member.fullName|'somebody':bold} to the board.`,
    removeMemberFromBoard: `${WHO} removed {action.member.fullName|'somebody':bold} from the board.`,
  },
  quiet: [
    'updateBoard',
    'updateList',
    'updateComment',
    'deleteComment',
    'createCheckItem',
    'updateCheckItem',
    'deleteCheckItem',
    'updateChecklist',
    '*Plugin',
    '*CustomField*',
  ],
});
